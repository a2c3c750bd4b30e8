import type {
  CheckedFile,
  PlacedFinding,
  Report,
  ReporterOptions,
  Subject,
} from '../../src/reporters/report.ts';

export const OPTIONS: ReporterOptions = {
  failOn: 'error',
  isColoured: false,
  cwd: '/repo',
  root: '/repo',
  version: '1.2.3',
  now: new Date('2026-11-21T12:00:00Z'),
};

export function finding(parts: Partial<PlacedFinding> = {}): PlacedFinding {
  return {
    rule: 'schema.type',
    severity: 'error',
    basis: 'stated',
    pointer: '/name',
    message: 'name must be a string',
    source: 'service-api 2.1',
    ...parts,
  };
}

/** A request of a file that holds several; blocked where it has an error. */
export function subject(findings: readonly PlacedFinding[], parts: Partial<Subject> = {}): Subject {
  const isBlocked = findings.some(({ severity }) => severity === 'error');
  return {
    ...{ pointer: '/exchanges/3', line: 3, method: 'PATCH', path: '/accounts/current/projects/42' },
    ...{ operation: 'updateProject', outcome: isBlocked ? 'block' : 'pass', omitted: 0 },
    findings,
    ...parts,
  };
}

export function checkedFile(subjects: readonly Subject[], parts: Partial<CheckedFile> = {}): CheckedFile {
  return { file: 'recordings/PATCH.json', kind: 'recording', unjudged: 0, subjects, ...parts };
}

const body = { pointer: '', operation: 'updateProject' };

/** A clean body, a body with two findings and one left out, a recording with one. */
export const SAMPLE: Report = {
  files: [
    checkedFile([{ ...body, outcome: 'pass', findings: [], omitted: 0 }], {
      file: 'bodies/good.json',
      kind: 'body',
    }),
    checkedFile(
      [
        {
          ...{ ...body, outcome: 'block', omitted: 1 },
          findings: [
            finding({
              ...{ rule: 'schema.required', pointer: '/languages', message: 'languages is mandatory' },
              ...{ hint: 'send the full project', line: 2, column: 3 },
              excerpt: { text: '{ "name": "Checkout" }', caret: 1 },
            }),
            { rule: 'request.too-large', severity: 'warn', basis: 'protocol', pointer: '', message: 'large' },
          ],
        },
      ],
      { file: 'bodies/bad.json', kind: 'body' },
    ),
    checkedFile(
      [
        subject([finding({ rule: 'x.warns', severity: 'warn', message: 'new', line: 12, column: 7 })], {
          effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
        }),
      ],
      { unjudged: 2 },
    ),
  ],
};

export const REMARKS: Report = {
  files: [],
  remarks: [
    { severity: 'warn', message: 'nothing was judged', hint: 'check the paths' },
    { severity: 'note', message: 'judged as updateProject' },
  ],
};

/** Every text of it would end a command, a tag or a line, or steer a terminal. */
export function hostileReport(text: string): Report {
  const odd = { rule: text, message: text, hint: text, source: text, pointer: `/${text}` };
  const placed = finding({ ...odd, line: 1, column: 1, excerpt: { text, caret: text.length } });
  return {
    files: [checkedFile([subject([placed], { pointer: text, path: text, method: text })], { file: text })],
    remarks: [{ severity: 'warn', message: text, hint: text }],
  };
}
