import { expect, test } from 'vitest';
import { json as reporter } from '../../src/reporters/json.ts';
import type { Report } from '../../src/reporters/report.ts';
import { REMARKS_REPORT } from './sample-findings.ts';
import { joined } from './sample-options.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

const json = (report: Report) => JSON.parse(joined(reporter(report)));

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
    },
    {
      rule: 'request.too-large',
      severity: 'warn',
      basis: 'protocol',
      pointer: '',
      message: 'large',
    },
  ]);
  expect(files[2].subjects[0]).toMatchObject({
    pointer: '/exchanges/3',
    method: 'PATCH',
    path: '/accounts/current/projects/42',
    effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
  });
});

test('has what was skipped, and the remarks', () => {
  const { summary, remarks, files } = json(REMARKS_REPORT);
  expect(summary).toMatchObject({
    judged: 1,
    skipped: 1,
    errors: 0,
    warnings: 1,
  });
  expect(remarks).toEqual(REMARKS_REPORT.remarks);
  const [{ subjects, ...file }] = files;
  expect(file).toEqual({
    ...{ file: 'recordings/PATCH.json', kind: 'har', unjudged: 2 },
    skipped: REMARKS_REPORT.files[0]?.skipped,
  });
  expect(subjects[0].line).toBe(3);
});

test('is pretty-printed, with a line feed at its end', () => {
  for (const report of [SAMPLE_REPORT, REMARKS_REPORT, { files: [] }])
    expect(reporter(report)).toBe(`${JSON.stringify(json(report), null, 2)}\n`);
});
