import { expect, test } from 'vitest';
import type { PlacedFinding, Report } from '../../src/reporters/report.ts';
import { text } from '../../src/reporters/text.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

test('shows each finding with its place, line, reason and hint, by file, and a summary', () => {
  expect(text(SAMPLE_REPORT)).toBe(`bodies/bad.json

  bodies/bad.json:2:3  error  schema.required  languages is mandatory
    2 | { "name": "Checkout" }
      |  ^
    at /languages, stated, service-api 4.1 rule 1
    hint: send the full project

  bodies/bad.json  warn  request.too-large  large
    protocol

  and 1 more finding

recordings/PATCH.json

  PATCH /accounts/current/projects/42 (/exchanges/3)

  recordings/PATCH.json:12:7  warn  schema.unknown-field  owner is not listed
    12 | 😀 "owner": "me"
       |   ^
    at /owner, inferred

1 error, 2 warnings, 1 more: 3 requests judged, 1 would be blocked, 2 not concerned, in 3 files
`);
});

test('findings come in the order of their places, those without one last', () => {
  const at = (line?: number, column?: number): PlacedFinding => ({
    rule: `rule.${line}-${column}`,
    severity: 'error',
    basis: 'stated',
    pointer: '',
    message: '',
    ...(line !== undefined && column !== undefined && { line, column }),
  });
  const findings = [at(), at(10, 1), at(2, 9), at(2, 3)];
  const subject = { pointer: '', outcome: 'block', omitted: 0, findings } as const;
  const output = text({ files: [{ file: 'f', kind: 'body', unjudged: 0, subjects: [subject] }] });
  expect(output.match(/rule\.\S+/g)).toEqual([
    'rule.2-3',
    'rule.2-9',
    'rule.10-1',
    'rule.undefined-undefined',
  ]);
});

test('a clean report is its summary alone', () => {
  expect(text({ files: SAMPLE_REPORT.files.slice(0, 1) })).toBe(
    'no findings: 1 request judged, 0 would be blocked, in 1 file\n',
  );
});

test('nothing from a file reaches the terminal as a command', () => {
  const hostile = 'a\u001b[2Jb\u202ec\rd\ud800e\tf';
  const finding: PlacedFinding = {
    rule: 'schema.unknown-field',
    severity: 'warn',
    basis: 'inferred',
    pointer: `/${hostile}`,
    message: hostile,
    hint: hostile,
    line: 1,
    column: 1,
    excerpt: { text: hostile, caret: hostile.length },
  };
  const subject = {
    pointer: '/exchanges/0',
    method: 'PATCH',
    path: hostile,
    outcome: 'pass',
    omitted: 0,
  } as const;
  const report: Report = {
    files: [
      { file: hostile, kind: 'recording', unjudged: 0, subjects: [{ ...subject, findings: [finding] }] },
    ],
  };
  const output = text(report);
  expect(output).not.toMatch(/[^\n\P{C}]/u);
  expect(output).toContain('a\ufffd[2Jb\ufffdc\ufffdd\ufffde f');
  const lines = output.split('\n');
  const shown = lines.findIndex((line) => line.startsWith('    1 | '));
  expect(lines[shown + 1]?.indexOf('^')).toBe(lines[shown]?.length);
});
