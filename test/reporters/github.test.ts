import { expect, test } from 'vitest';
import { githubSummary, github as reporter } from '../../src/reporters/github.ts';
import type { Report } from '../../src/reporters/report.ts';
import { checkedFile, finding, hostileReport, OPTIONS, REMARKS, SAMPLE, subject } from './samples.ts';

const github = (report: Report, cwd = '/repo') => reporter(report, { ...OPTIONS, cwd });
const of = (parts: Parameters<typeof finding>[0], file = 'a.json') => ({
  files: [checkedFile([subject([finding(parts)])], { file })],
});

test('is an annotation for each finding, errors first, and a line for all', () => {
  expect(
    github(SAMPLE),
  ).toBe(`::error file=bodies/bad.json,line=2,col=3,title=schema.required::languages is mandatory%0Asend the full project
::warning file=bodies/bad.json,title=request.too-large::large
::warning file=recordings/PATCH.json,line=12,col=7,title=x.warns::new
Patchgate: 1 error, 2 warnings, 1 more: 3 requests judged, 1 would be blocked, 2 not concerned, in 3 files
`);
});

test('a remark is a warning or a notice', () => {
  expect(github(REMARKS)).toMatch(
    /^::warning title=patchgate::nothing was judged%0Acheck the paths\n::notice /,
  );
});

test('the same finding many times in a file is one annotation', () => {
  const same = [1, 2, 3].map((line) => finding({ line, column: 1 }));
  expect(github({ files: [checkedFile([subject(same)])] })).toMatch(
    /^::error [^\n]*line=1,[^\n]*::name must be a string \(3 times in this file\)\nPatchgate: 3 errors/,
  );
});

test('nothing ends a property or a command, or steers who reads the log', () => {
  const output = github(hostileReport('a%0A,b:c::error::=d\r\n::warning::e%\u001b[2J\u202e'));
  expect(output.split('\n')).toHaveLength(4);
  const evil = 'a%250A%2Cb%3Ac%3A%3Aerror%3A%3A=d%0D%0A%3A%3Awarning%3A%3Ae%25\ufffd[2J\ufffd';
  expect(output).toContain(`,title=${evil}::`);
});

test('keeps within what GitHub shows, and says what it left out', () => {
  const many = Array.from({ length: 30 }, (_, i) => finding({ rule: `x.${i}` }));
  const warnings = many.map((each) => ({ ...each, severity: 'warn' as const }));
  const output = github({ files: [checkedFile([subject([...many, ...warnings])])] });
  expect(output.match(/^::error/gm)).toHaveLength(10);
  expect(output.match(/^::warning/gm)).toHaveLength(10);
  expect(output).toMatch(/\nPatchgate: 30 errors, 30 warnings: .*; 40 further annotations left out, since/);
});

test('files are relative to the repository; standard input has its place in the message', () => {
  expect(github(of({}, '../a.json'), '/repo/gate')).toContain('::error file=a.json,');
  expect(github(of({ line: 2, column: 3 }, '<stdin>'))).toContain(
    '::error title=schema.type::<stdin>:2:3: name must be a string\n',
  );
});

test('the page of a job has the report for people, which nothing in it ends', () => {
  expect(githubSummary({ files: SAMPLE.files.slice(0, 1) }, OPTIONS)).toMatch(
    /^### Patchgate: passed\n\n```text\nno findings: .*\n```\n\n$/,
  );
  const page = githubSummary(of({ message: '```` </code> @team', hint: '\n```\n' }), OPTIONS);
  expect(page).toMatch(/^### Patchgate: failed\n\n`````text\n/);
  expect(page.match(/^`{3,}/gm)).toEqual(['`````', '`````']);
});

test('the page of a job stays below what GitHub takes', () => {
  const long = (i: number) =>
    finding({ message: `${i}${'\u4e00'.repeat(50_000)}`, pointer: '\u4e00'.repeat(9000) });
  const many = checkedFile([subject(Array.from({ length: 600 }, (_, i) => long(i)))]);
  expect(Buffer.byteLength(githubSummary({ files: [many] }, OPTIONS))).toBeLessThan(1024 * 1024);
});
