import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  baselineText,
  type KnownFindings,
  nameInBaseline,
  readBaseline,
} from '../../../src/commands/check/baseline.ts';
import { laterRefusal } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const entry = (more: Partial<KnownFindings> = {}): KnownFindings => ({
  file: 'a.json',
  request: 'updateProject',
  rule: 'schema.type',
  pointer: '/name',
  fingerprint: '0123456789abcdef0123456789abcdef',
  ...more,
});

function written(content: unknown): string {
  const file = join(folder, 'known.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return file;
}

describe('the text of a baseline', () => {
  it('has a line for each entry, in an order of its own', () => {
    const text = baselineText([entry({ file: 'b.json' }), entry({ count: 2 }), entry({ file: 'B.json' })]);
    expect(text.split('\n')).toEqual([
      '{',
      '  "version": 1,',
      '  "findings": [',
      '    {"file":"B.json","request":"updateProject","rule":"schema.type","pointer":"/name","fingerprint":"0123456789abcdef0123456789abcdef"},',
      '    {"file":"a.json","request":"updateProject","rule":"schema.type","pointer":"/name","fingerprint":"0123456789abcdef0123456789abcdef","count":2},',
      '    {"file":"b.json","request":"updateProject","rule":"schema.type","pointer":"/name","fingerprint":"0123456789abcdef0123456789abcdef"}',
      '  ]',
      '}',
      '',
    ]);
  });

  it('is read back', async () => {
    const findings = [entry(), entry({ file: 'z.json', count: 7 })];
    expect(await readBaseline(written(baselineText(findings)), 'known.json')).toEqual(findings);
    expect(await readBaseline(written(baselineText([])), 'known.json')).toEqual([]);
    // An editor put a byte order mark before it.
    expect(await readBaseline(written(`\ufeff${baselineText(findings)}`), 'known.json')).toEqual(findings);
  });
});

describe('a baseline', () => {
  it('that is not there is none', async () => {
    expect(await readBaseline(join(folder, 'none.json'), 'none.json')).toBeUndefined();
  });

  it('that cannot be read is an error', async () => {
    expect(await laterRefusal('bad-input', readBaseline(folder, 'here'))).toContain(
      'cannot read the baseline here: it is a folder',
    );
  });

  it.each([
    ['{ "version": 1,\n  "findings": [}', 'known.json:2:16: expected a value'],
    ['', 'known.json:1:1: the document ends'],
    ['[]', 'invalid value [] for known.json:1:1 (it takes an object)'],
    [{ findings: [] }, 'missing field "version" of known.json:1:1 (it takes 1)'],
    [{ version: '1', findings: [] }, 'invalid value "1" for version in known.json:2:14 (it takes 1)'],
    [
      { version: 2, findings: [] },
      'known.json:2:14: the baseline is of version 2, this Patchgate reads version 1 (update patchgate)',
    ],
    [{ version: 1 }, 'missing field "findings" of known.json:1:1'],
    [{ version: 1, findings: [7] }, 'invalid value 7 for findings[0] in known.json:4:5 (it takes an object)'],
    [
      { version: 1, findings: [entry(), entry({ count: 0 })] },
      'invalid value 0 for findings[1].count in known.json:17:16 (it takes an integer from 1 ',
    ],
    [
      { version: 1, findings: [entry({ fingerprint: 'abc' })] },
      'invalid value "abc" for findings[0].fingerprint in known.json:9:22 (it takes 32 hexadecimal digits)',
    ],
    [
      { version: 1, findings: [entry({ rules: [1] as never })] },
      'invalid value 1 for findings[0].rules[0] in known.json:11:9 (it takes a text)',
    ],
    [{ version: 1, findings: [{}] }, 'missing field "file" of findings[0] in known.json:4:5'],
  ])('that holds %j is broken', async (content, message) => {
    expect(await laterRefusal('bad-input', readBaseline(written(content), 'known.json'))).toContain(message);
  });
});

it('names files as seen from its own folder', () => {
  expect(nameInBaseline('./bodies/a.json', '/repo', '/repo/known.json')).toBe('bodies/a.json');
  expect(nameInBaseline('a.json', '/repo/bodies', '/repo/known.json')).toBe('bodies/a.json');
  expect(nameInBaseline('/repo/a.json', '/', '/repo/ci/known.json')).toBe('../a.json');
  expect(nameInBaseline('<stdin>', '/repo', '/repo/ci/known.json')).toBe('<stdin>');
});
