import type { Report } from '../../src/reporters/report.ts';

/** A clean body, a body with two findings, a recording with one. */
export const SAMPLE_REPORT: Report = {
  files: [
    {
      file: 'bodies/good.json',
      kind: 'body',
      unjudged: 0,
      subjects: [{ pointer: '', operation: 'updateProject', outcome: 'pass', findings: [], omitted: 0 }],
    },
    {
      file: 'bodies/bad.json',
      kind: 'body',
      unjudged: 0,
      subjects: [
        {
          pointer: '',
          operation: 'updateProject',
          outcome: 'block',
          omitted: 1,
          findings: [
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
              excerpt: { text: '{ "name": "Checkout" }', caret: 1 },
            },
            {
              rule: 'request.too-large',
              severity: 'warn',
              basis: 'protocol',
              pointer: '',
              message: 'large',
            },
          ],
        },
      ],
    },
    {
      file: 'recordings/PATCH.json',
      kind: 'recording',
      unjudged: 2,
      subjects: [
        {
          pointer: '/exchanges/3',
          method: 'PATCH',
          path: '/accounts/current/projects/42',
          operation: 'updateProject',
          outcome: 'pass',
          omitted: 0,
          findings: [
            {
              rule: 'schema.unknown-field',
              severity: 'warn',
              basis: 'inferred',
              pointer: '/owner',
              message: 'owner is not listed',
              line: 12,
              column: 7,
              excerpt: { text: '😀 "owner": "me"', caret: 3 },
            },
          ],
          effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
        },
      ],
    },
  ],
};
