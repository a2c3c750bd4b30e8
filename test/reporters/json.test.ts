import { expect, test } from 'vitest';
import { json as reporter } from '../../src/reporters/json.ts';
import type { Report } from '../../src/reporters/report.ts';
import { CHANGE_REPORT, SUPPRESSED_REPORT } from './sample-findings.ts';
import { joined } from './sample-options.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

const json = (report: Report) => JSON.parse(joined(reporter(report)));
const FINGERPRINT = expect.stringMatching(/^[0-9a-f]{32}$/);

test('is version 1, with a summary', () => {
  expect(json(SAMPLE_REPORT)).toMatchObject({
    version: 1,
    summary: { files: 3, judged: 3, unjudged: 2, blocked: 1, errors: 1, warnings: 2, omitted: 1 },
  });
  expect(json(SAMPLE_REPORT)).not.toHaveProperty('remarks');
});

test('has every file, every subject and every finding, and nothing that its docs do not name', () => {
  const { files } = json(SAMPLE_REPORT);
  expect(files[0]).toEqual({
    file: 'bodies/good.json',
    kind: 'body',
    unjudged: 0,
    subjects: [{ pointer: '', operation: 'updateProject', outcome: 'pass', omitted: 0, findings: [] }],
  });
  expect(files[1].subjects[0].findings).toEqual([
    {
      rule: 'schema.required',
      severity: 'error',
      basis: 'stated',
      pointer: '/languages',
      message: 'languages is mandatory',
      hint: 'send the full project',
      source: 'service-api 4.1 rule 1',
      line: 2,
      column: 3,
      fingerprint: FINGERPRINT,
    },
    {
      rule: 'request.too-large',
      severity: 'warn',
      basis: 'protocol',
      pointer: '',
      message: 'large',
      fingerprint: FINGERPRINT,
    },
  ]);
  expect(files[2].subjects[0]).toMatchObject({
    pointer: '/exchanges/3',
    method: 'PATCH',
    path: '/accounts/current/projects/42',
    effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
  });
});

test('has what does not count with its excuse, what was skipped, and the remarks', () => {
  const { summary, remarks, files } = json(SUPPRESSED_REPORT);
  expect(summary).toMatchObject({
    judged: 1,
    skipped: 1,
    errors: 0,
    warnings: 1,
    known: 1,
    suppressed: 1,
  });
  expect(remarks).toEqual(SUPPRESSED_REPORT.remarks);
  const [{ subjects, ...file }] = files;
  expect(file).toEqual({
    ...{ file: 'recordings/PATCH.json', kind: 'har', unjudged: 2 },
    skipped: SUPPRESSED_REPORT.files[0]?.skipped,
  });
  expect(subjects[0].line).toBe(3);
  expect(subjects[0].findings.map(({ excuse }: { excuse?: object }) => excuse)).toEqual([
    { by: 'baseline' },
    { by: 'suppression', reason: 'until the migration', expires: '2026-12-31' },
    undefined,
  ]);
});

test('has what the contract before said', () => {
  const { summary, files } = json(CHANGE_REPORT);
  expect(summary).toMatchObject({ unchanged: 1, breaks: 1, allows: 1 });
  expect(files[0].subjects.map(({ before }: { before: object }) => before)).toMatchObject([
    { outcome: 'pass', gone: [] },
    { outcome: 'block', gone: [{ rule: 'schema.enum', pointer: '/languages/0' }] },
    { outcome: 'block', gone: [] },
  ]);
});

test('is made in pieces, and pretty-printed like a whole', () => {
  for (const report of [SAMPLE_REPORT, SUPPRESSED_REPORT, { files: [] }]) {
    const pieces = [...reporter(report)];
    expect(pieces.length).toBe(report.files.length + 1);
    expect(joined(pieces)).toBe(`${JSON.stringify(json(report), null, 2)}\n`);
  }
});
