import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type BuildReportOptions,
  baselineText,
  buildReport,
  type KnownFindings,
  nameInBaseline,
  readBaseline,
} from '../../../src/commands/check/build-report.ts';
import { hideSecrets } from '../../../src/commands/check/hide-secrets.ts';
import { DEFAULT_REDACTION } from '../../../src/recordings/redaction/redaction.ts';
import { type CheckedFile, fails, type Report } from '../../../src/reporters/report.ts';
import { checkedFile, finding, subject } from '../../support/checked.ts';
import { laterRefusal } from '../../support/errors.ts';
import { checkSuppressions } from '../../support/extras.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const KNOWN = 'known.json';
let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

async function build(
  files: readonly CheckedFile[],
  options: Partial<BuildReportOptions> = {},
): Promise<Report> {
  return buildReport(files, { cwd, today: '2026-11-21', ...options });
}

/** Writes the baseline of these, whose files are made so that they are there. */
async function know(...files: readonly CheckedFile[]): Promise<Report> {
  for (const { file } of files) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), '');
  }
  return build(files, { baseline: KNOWN, writeBaseline: true });
}

const hold = (files: readonly CheckedFile[], options: Partial<BuildReportOptions> = {}) =>
  build(files, { baseline: KNOWN, ...options });

function written(): string {
  return readFileSync(join(cwd, KNOWN), 'utf8');
}

function remarksOf({ remarks = [] }: Report): string[] {
  return remarks.map(({ severity, message }) => `${severity}: ${message}`);
}

/** What suppresses each finding, in their order. */
function suppressedBy({ files }: Report): (string | undefined)[] {
  return files.flatMap((file) =>
    file.subjects.flatMap((one) => one.findings.map(({ excuse }) => excuse?.by)),
  );
}

describe('without baseline and suppressions', () => {
  it('every finding counts', async () => {
    const files = [checkedFile('a.json', subject([finding()]))];
    expect(await build(files)).toEqual({ files });
  });
});

describe('a baseline', () => {
  it('makes what it holds known, and what is new fails', async () => {
    const report = await know(checkedFile('a.json', subject([finding()])));
    expect(suppressedBy(report)).toEqual(['baseline']);
    expect(remarksOf(report)).toEqual(['note: wrote 1 finding to known.json']);
    expect(fails(report, 'warn')).toBe(false);

    const same = await hold([checkedFile('a.json', subject([finding()]))]);
    expect([suppressedBy(same), fails(same, 'warn'), remarksOf(same)]).toEqual([['baseline'], false, []]);

    const more = await hold([checkedFile('a.json', subject([finding(), finding({ pointer: '/name' })]))]);
    expect(suppressedBy(more)).toEqual(['baseline', undefined]);
    expect(fails(more, 'error')).toBe(true);
  });

  it('knows them when lines move, exchanges come before, or the severity was raised', async () => {
    const json = finding({ rule: 'request.json', message: 'the body is no JSON: a } (line 3, column 7)' });
    await know(checkedFile('a.json', subject([finding({ severity: 'warn' }), json])));
    const moved = subject(
      [
        finding({ line: 90, column: 1 }),
        { ...json, message: 'the body is no JSON: a } (line 4, column 17)' },
      ],
      { pointer: '/exchanges/7', line: 80 },
    );
    const other = subject([], { path: '/v2/accounts/current/projects/43' });
    expect(suppressedBy(await hold([checkedFile('a.json', other, moved)]))).toEqual(['baseline', 'baseline']);
  });

  it('knows them from another folder, and with ./ in front', async () => {
    await know(checkedFile('bodies/a.json', subject([finding()])));
    for (const [file, folder] of [
      ['./bodies/a.json', '.'],
      ['a.json', 'bodies'],
      [join(cwd, 'bodies/a.json'), '..'],
    ] as const) {
      const report = await hold([checkedFile(file, subject([finding()]))], {
        cwd: join(cwd, folder),
        baseline: join(cwd, KNOWN),
      });
      expect(suppressedBy(report)).toEqual(['baseline']);
    }
  });

  it('does not know other facts at the same place', async () => {
    const deleted = (name: string) =>
      finding({
        rule: 'project.environment-deleted',
        pointer: '/environments',
        message: `${name} is left out`,
      });
    await know(checkedFile('a.json', subject([deleted('Staging')])));
    expect(suppressedBy(await hold([checkedFile('a.json', subject([deleted('Production')]))]))).toEqual([
      undefined,
    ]);
  });

  it('does not know them of another request, or file', async () => {
    await know(checkedFile('a.json', subject([finding()])));
    const path = '/v2/accounts/current/projects/43';
    const files = [
      checkedFile('a.json', subject([finding()], { path })),
      checkedFile('b.json', subject([finding()])),
    ];
    expect(suppressedBy(await hold(files))).toEqual([undefined, undefined]);
  });

  it('counts those that are alike', async () => {
    const twice = [subject([finding()]), subject([finding()], { pointer: '/exchanges/1' })];
    await know(checkedFile('a.json', ...twice));
    expect(written().match(/"count":2/g)).toHaveLength(1);
    const thrice = [...twice, subject([finding()], { pointer: '/exchanges/2' })];
    expect(suppressedBy(await hold([checkedFile('a.json', ...thrice)]))).toEqual([
      'baseline',
      'baseline',
      undefined,
    ]);
  });

  it('counts a line once that a merge made two of', async () => {
    await know(checkedFile('a.json', subject([finding()])));
    const [line = ''] = written().match(/^ {4}\{.*$/m) ?? [];
    writeFileSync(join(cwd, KNOWN), written().replace(line, `${line},\n${line}`));
    const two = [subject([finding()]), subject([finding()])];
    expect(suppressedBy(await hold([checkedFile('a.json', ...two)]))).toEqual(['baseline', undefined]);
  });

  it('says what is gone, of the files that were judged', async () => {
    const file = (name: string) =>
      checkedFile(name, subject([finding(), finding({ pointer: '/a' }), finding({ pointer: '/b' })]));
    await know(file('a.json'), file('b.json'));
    const report = await hold([checkedFile('a.json', subject([finding()]))]);
    expect(remarksOf(report)).toEqual(['warn: known.json holds 2 findings that are gone or suppressed']);
    expect(fails(report, 'warn')).toBe(false);
  });

  it('says so of a file that is there no more, too', async () => {
    await know(checkedFile('a.json', subject([finding()])), checkedFile('b.json', subject([finding()])));
    rmSync(join(cwd, 'b.json'));
    const report = await hold([checkedFile('a.json', subject([finding()]))]);
    expect(remarksOf(report)).toEqual(['warn: known.json holds 1 finding that is gone or suppressed']);
  });

  it('must be there', async () => {
    const refused = laterRefusal('bad-input', hold([checkedFile('a.json', subject([finding()]))]));
    expect(await refused).toBe('the baseline known.json does not exist (write it with --write-baseline)');
  });
});

describe('what was left out of very many', () => {
  const many = (count: number, omitted: number, more = {}) =>
    checkedFile(
      'a.json',
      subject(
        Array.from({ length: count }, (_, i) => finding({ pointer: `/a/${i}` })),
        { omitted, ...more },
      ),
    );

  it('is known until it grows', async () => {
    expect(fails(await know(many(100, 37)), 'warn')).toBe(false);
    expect(fails(await hold([many(100, 37)]), 'warn')).toBe(false);
    expect(fails(await hold([many(100, 36)]), 'warn')).toBe(false);
    expect(fails(await hold([many(100, 38)]), 'error')).toBe(true);
  });

  it('stays known when it comes to light', async () => {
    await know(many(100, 2));
    const rest = Array.from({ length: 101 }, (_, i) => finding({ pointer: `/a/${i + 1}` }));
    const report = await hold([checkedFile('a.json', subject(rest))]);
    expect(fails(report, 'error')).toBe(false);
    const further = [...rest, finding({ pointer: '/x' }), finding({ pointer: '/y' })];
    expect(fails(await hold([checkedFile('a.json', subject(further))]), 'error')).toBe(true);
  });
});

describe('a baseline that is written', () => {
  it('holds neither messages nor secrets', async () => {
    const secret = finding({ pointer: '/key', message: 'key is "hunter2", which is no number' });
    const judged = checkedFile(
      'a.json',
      subject([secret], { path: '/v2/s;token=hunter3/accounts/1/projects/42?apiKey=hunter4' }),
    );
    await know(...hideSecrets([judged], DEFAULT_REDACTION));
    expect(written()).not.toContain('hunter');
    expect(written()).toContain('"pointer":"/key"');
  });

  it('is the same byte for byte, and left alone, when it is written again', async () => {
    const files = [checkedFile('b.json', subject([finding()])), checkedFile('a.json', subject([finding()]))];
    await know(...files);
    const text = written();
    utimesSync(join(cwd, KNOWN), 1000, 1000);
    await know(...files.toReversed());
    expect(written()).toBe(text);
    expect(statSync(join(cwd, KNOWN)).mtimeMs).toBe(1_000_000);
  });

  it('keeps what it has of other files, as long as they are there', async () => {
    await know(checkedFile('a.json', subject([finding()])), checkedFile('b.json', subject([finding()])));
    await build([checkedFile('gone.json', subject([finding()]))], { baseline: KNOWN, writeBaseline: true });
    await know(checkedFile('a.json', subject([])));
    const { findings } = JSON.parse(written()) as { findings: { file: string }[] };
    expect(findings.map(({ file }) => file)).toEqual(['b.json']);
  });

  it('is not written over where it is broken', async () => {
    writeFileSync(join(cwd, KNOWN), '{ "version": 9 }');
    expect(await laterRefusal('bad-input', know(checkedFile('a.json')))).toContain('known.json:1:14');
    expect(written()).toBe('{ "version": 9 }');
  });
});

describe('suppressions', () => {
  const because = { rule: 'schema.required', reason: 'sent by the old client' };
  const suppressing = async (...entries: Record<string, unknown>[]) => ({
    suppressions: await checkSuppressions(
      entries.map((entry) => ({ ...because, ...entry })),
      { where: 'the config', folder: cwd },
    ),
  });

  it.each([
    [{ files: ['legacy/**'] }, ['suppression', undefined]],
    [{ files: ['*.json'] }, ['suppression', 'suppression']],
    [{ paths: ['/accounts/*/projects/42'] }, ['suppression', undefined]],
    [{ paths: ['**/projects/43'] }, [undefined, 'suppression']],
    [{ pointer: '/languages' }, ['suppression', 'suppression']],
    [{ pointer: '/*' }, ['suppression', 'suppression']],
    [{ pointer: '' }, [undefined, undefined]],
    [{ pointer: '/languages/0' }, [undefined, undefined]],
    [{ pointer: '/languages', files: ['new/**'] }, [undefined, 'suppression']],
    [{ paths: ['**/projects/43'], files: ['legacy/*'] }, [undefined, undefined]],
    [{ rule: 'schema.type', pointer: '/languages' }, [undefined, undefined]],
  ])('%j', async (where, expected) => {
    const path = '/v2/accounts/current/projects/43';
    const files = [
      checkedFile('legacy/a.json', subject([finding()])),
      checkedFile('new/b.json', subject([finding()], { path })),
    ];
    const report = await build(files, await suppressing(where));
    expect(suppressedBy(report)).toEqual(expected);
    expect(fails(report, 'error')).toBe(expected.some((excuse) => excuse === undefined));
  });

  it('say why', async () => {
    const { files } = await build(
      [checkedFile('a.json', subject([finding()]))],
      await suppressing({ pointer: '/languages', expires: '2026-11-21' }),
    );
    expect(files[0]?.subjects[0]?.findings[0]?.excuse).toEqual({
      by: 'suppression',
      reason: 'sent by the old client',
      expires: '2026-11-21',
    });
  });

  it('hold on their last day, and fail from the next one on', async () => {
    const files = [checkedFile('a.json', subject([finding({ severity: 'warn' })]))];
    const options = await suppressing({ pointer: '/languages', expires: '2026-11-20' });
    const last = await build(files, { ...options, today: '2026-11-20' });
    expect([fails(last, 'warn'), remarksOf(last)]).toEqual([false, []]);
    const over = await build(files, options);
    expect(suppressedBy(over)).toEqual([undefined]);
    expect(remarksOf(over)).toEqual([
      'error: suppressions[0] of schema.required expired on 2026-11-20: sent by the old client',
    ]);
    expect(fails(over, 'error')).toBe(true);
  });

  it('that are over fail nothing where nothing needs them', async () => {
    const options = await suppressing(
      { pointer: '/languages', expires: '2026-11-20' },
      { pointer: '/*' },
      { pointer: '/name', expires: '2026-11-20' },
    );
    const report = await build([checkedFile('a.json', subject([finding()]))], options);
    expect(remarksOf(report)).toEqual([
      'warn: suppressions[0] of schema.required expired on 2026-11-20: sent by the old client',
      'warn: suppressions[2] of schema.required expired on 2026-11-20: sent by the old client',
    ]);
    expect(fails(report, 'warn')).toBe(false);
  });

  it('of no use are told, where they could have been of some', async () => {
    const options = await suppressing(
      { pointer: '/name' },
      { files: ['elsewhere/**'] },
      { paths: ['**/projects/43'] },
      { files: ['a.json'], pointer: '/name' },
    );
    const report = await build([checkedFile('a.json', subject([finding()]))], options);
    expect(remarksOf(report).map((remark) => remark.slice(0, 24))).toEqual([
      'warn: suppressions[0] of',
      'warn: suppressions[3] of',
    ]);
    const clean = checkedFile('a.json', subject([]));
    expect(remarksOf(await build([clean], options))).toHaveLength(2);
    // That nothing was judged says enough.
    expect(remarksOf(await build([checkedFile('a.json')], options))).toEqual([
      'warn: nothing was judged: there are no requests',
    ]);
    const other = { ...checkedFile('a.json'), unjudged: 2 };
    expect(remarksOf(await build([other], options))).toEqual([
      'warn: nothing was judged: none of 2 requests is for an operation of the contract',
    ]);
  });

  it('are not asked for what the contract before found, and nothing is told of them then', async () => {
    const old = finding({ excuse: { by: 'old-contract' } });
    const options = await suppressing({ pointer: '/languages' }, { pointer: '/name', expires: '2026-11-20' });
    const both = checkedFile('a.json', subject([old, finding()]));
    expect(suppressedBy(await build([both], options))).toEqual(['old-contract', 'suppression']);
    expect(remarksOf(await build([both], options))).toHaveLength(1);
    expect(remarksOf(await build([both], { ...options, againstContract: 'old' }))).toEqual([]);
  });

  it('go before the baseline, which does not take in what they suppress', async () => {
    const files = [checkedFile('a.json', subject([finding(), finding({ pointer: '/name' })]))];
    const options = await suppressing({ pointer: '/languages' });
    writeFileSync(join(cwd, 'a.json'), '');
    const report = await build(files, { ...options, baseline: KNOWN, writeBaseline: true });
    expect(suppressedBy(report)).toEqual(['suppression', 'baseline']);
    expect(written()).not.toContain('/languages');
    expect(suppressedBy(await hold(files, options))).toEqual(['suppression', 'baseline']);
  });
});

const folder = temporaryFolder();
const entry = (more: Partial<KnownFindings> = {}): KnownFindings => ({
  file: 'a.json',
  request: 'updateProject',
  rule: 'schema.type',
  pointer: '/name',
  fingerprint: '0123456789abcdef0123456789abcdef',
  ...more,
});

function baselineFile(content: unknown): string {
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
    expect(await readBaseline(baselineFile(baselineText(findings)), 'known.json')).toEqual(findings);
    expect(await readBaseline(baselineFile(baselineText([])), 'known.json')).toEqual([]);
    // An editor put a byte order mark before it.
    expect(await readBaseline(baselineFile(`\ufeff${baselineText(findings)}`), 'known.json')).toEqual(
      findings,
    );
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
    expect(await laterRefusal('bad-input', readBaseline(baselineFile(content), 'known.json'))).toContain(
      message,
    );
  });
});

it('names files as seen from its own folder', () => {
  expect(nameInBaseline('./bodies/a.json', '/repo', '/repo/known.json')).toBe('bodies/a.json');
  expect(nameInBaseline('a.json', '/repo/bodies', '/repo/known.json')).toBe('bodies/a.json');
  expect(nameInBaseline('/repo/a.json', '/', '/repo/ci/known.json')).toBe('../a.json');
  expect(nameInBaseline('<stdin>', '/repo', '/repo/ci/known.json')).toBe('<stdin>');
});
