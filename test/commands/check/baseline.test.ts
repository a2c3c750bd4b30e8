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
    ['{ "version": 1,\n  "findings": [}', 'known.json:2:16: invalid JSON'],
    ['', 'known.json:1:1: invalid JSON'],
    ['[]', 'known.json:1:1: the baseline must be object'],
    [{ findings: [] }, 'known.json:1:2: version must be 1'],
    [{ version: '1', findings: [] }, 'known.json:2:14: version must be 1'],
    [
      { version: 2, findings: [] },
      'known.json:2:14: the baseline is of version 2, this Patchgate reads version 1 (update patchgate)',
    ],
    [{ version: 1 }, 'known.json:1:2: /findings is missing'],
    [{ version: 1, findings: [7] }, 'known.json:4:5: /findings/0 must be object'],
    [
      { version: 1, findings: [entry(), entry({ count: 0 })] },
      'known.json:17:16: /findings/1/count must be >= 1',
    ],
    [
      { version: 1, findings: [entry({ fingerprint: 'abc' })] },
      'known.json:9:22: /findings/0/fingerprint must match pattern',
    ],
    [
      { version: 1, findings: [entry({ rules: [1] as never })] },
      'known.json:11:9: /findings/0/rules/0 must be string',
    ],
    [{ version: 1, findings: [{}] }, 'known.json:4:6: /findings/0/file is missing'],
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
