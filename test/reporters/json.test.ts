import { expect, test } from 'vitest';
import { json } from '../../src/reporters/json.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

test('is version 1, with a summary', () => {
  expect(JSON.parse(json(SAMPLE_REPORT))).toMatchObject({
    version: 1,
    summary: { files: 3, judged: 3, unjudged: 2, blocked: 1, errors: 1, warnings: 2, omitted: 1 },
  });
});

test('has every file, every subject and every finding, and nothing that its docs do not name', () => {
  const { files } = JSON.parse(json(SAMPLE_REPORT));
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
    { rule: 'request.too-large', severity: 'warn', basis: 'protocol', pointer: '', message: 'large' },
  ]);
  expect(files[2].subjects[0]).toMatchObject({
    pointer: '/exchanges/3',
    method: 'PATCH',
    path: '/accounts/current/projects/42',
    effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
  });
});

test('ends with a line feed', () => {
  expect(json({ files: [] })).toMatch(/}\n$/);
});
