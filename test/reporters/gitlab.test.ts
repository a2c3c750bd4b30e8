import { expect, test } from 'vitest';
import { gitlab as reporter } from '../../src/reporters/gitlab.ts';
import type { Report } from '../../src/reporters/report.ts';
import { checkedFile, finding, SUPPRESSED_REPORT, subject } from './sample-findings.ts';
import { joined, SAMPLE_OPTIONS } from './sample-options.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

const gitlab = (report: Report, options = SAMPLE_OPTIONS) => JSON.parse(joined(reporter(report, options)));
const FINGERPRINT = expect.stringMatching(/^[0-9a-f]{32}$/);

test('is a list of issues, each with the members that GitLab demands', () => {
  expect(gitlab(SAMPLE_REPORT)).toEqual([
    {
      description: 'languages is mandatory; send the full project',
      check_name: 'schema.required',
      fingerprint: FINGERPRINT,
      severity: 'major',
      location: { path: 'bodies/bad.json', lines: { begin: 2 } },
    },
    {
      description: 'large',
      check_name: 'request.too-large',
      fingerprint: FINGERPRINT,
      severity: 'minor',
      location: { path: 'bodies/bad.json', lines: { begin: 1 } },
    },
    {
      description: 'owner is not listed',
      check_name: 'schema.unknown-field',
      fingerprint: FINGERPRINT,
      severity: 'minor',
      location: { path: 'recordings/PATCH.json', lines: { begin: 12 } },
    },
  ]);
});

test('leaves out what does not count', () => {
  expect(gitlab(SUPPRESSED_REPORT)).toMatchObject([{ check_name: 'x.warns' }]);
  expect(joined(reporter({ files: [] }, SAMPLE_OPTIONS))).toBe('[]\n');
});

test('has no fingerprint twice', () => {
  const alike = [finding(), finding(), finding()];
  const files = ['a.json', 'b.json'].map((file) => checkedFile([subject(alike), subject(alike)], { file }));
  // Each finding is an object of its own in a report.
  const report: Report = JSON.parse(JSON.stringify({ files }));
  const prints = gitlab(report).map(({ fingerprint }: { fingerprint: string }) => fingerprint);
  expect(new Set(prints).size).toBe(12);
});

test.each([
  ['./a.json', '/repo', '/repo', 'a.json'],
  ['../a.json', '/repo/gate', '/repo', 'a.json'],
  ['bodies/a.json', '/repo/gate', '/repo', 'gate/bodies/a.json'],
  ['/repo/x/a.json', '/repo/gate', '/repo', 'x/a.json'],
  ['..a/b.json', '/repo', '/repo', '..a/b.json'],
  ['<stdin>', '/repo', '/repo', 'stdin'],
  ['/elsewhere/a.json', '/repo', '/repo', '/elsewhere/a.json'],
])('the path of %s in %s below %s is %s', (file, cwd, root, path) => {
  const report = { files: [checkedFile([subject([finding()])], { file })] };
  expect(gitlab(report, { ...SAMPLE_OPTIONS, cwd, root })[0].location.path).toBe(path);
});

test('what has no line is at the beginning of its request', () => {
  const report = { files: [checkedFile([subject([finding()], { line: 40 })])] };
  expect(gitlab(report)[0].location.lines).toEqual({ begin: 40 });
});

test('what nobody can print is in no text', () => {
  const odd = finding({ message: 'a\u0000\u202e\ud800' });
  expect(gitlab({ files: [checkedFile([subject([odd])])] })[0].description).toBe('a\ufffd\ufffd\ufffd');
});
