import { expect, test } from 'vitest';
import { githubSummary, github as reporter } from '../../src/reporters/github.ts';
import type { Report } from '../../src/reporters/report.ts';
import { checkedFile, finding, REMARKS_REPORT, subject } from './sample-findings.ts';
import { joined, SAMPLE_OPTIONS } from './sample-options.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

const github = (report: Report, options = SAMPLE_OPTIONS) => joined(reporter(report, options));

test('is an annotation for each finding, errors first, and a line for all', () => {
  expect(
    github(SAMPLE_REPORT),
  ).toBe(`::error file=bodies/bad.json,line=2,col=3,title=schema.required::languages is mandatory%0Asend the full project
::warning file=bodies/bad.json,title=request.too-large::large
::warning file=recordings/PATCH.json,line=12,col=7,title=schema.unknown-field::owner is not listed
Patchgate: 1 error, 2 warnings, 1 more: 3 requests judged, 1 would be blocked, 2 not concerned, in 3 files
`);
});

test('a remark is a notice', () => {
  expect(github(REMARKS_REPORT).split('\n').slice(0, 3)).toEqual([
    '::warning file=recordings/PATCH.json,line=6,col=1,title=x.warns::new',
    '::notice title=patchgate::nothing was judged%0Acheck the paths',
    '::notice title=patchgate::wrote 1 file',
  ]);
});

test('the same finding many times in a file is one annotation', () => {
  const same = [1, 2, 3].map((line) => finding({ line, column: 1, hint: 'h' }));
  expect(github({ files: [checkedFile([subject(same)])] })).toMatch(
    /^::error [^\n]*line=1,[^\n]*::name must be a string \(3 times in this file\)%0Ah\nPatchgate: 3 errors/,
  );
});

/** As the runner reads a command. */
function read(line: string) {
  const [, level, properties = '', data = ''] = /^::(\w+) (.*?)::(.*)$/.exec(line) ?? [];
  const undo = (text: string) => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n');
  const undoMore = (text: string) => undo(text).replaceAll('%3A', ':').replaceAll('%2C', ',');
  const pairs = properties.split(',').map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return [name, undoMore(value.join('=')).replaceAll('%25', '%')];
  });
  return { level, ...Object.fromEntries(pairs), message: undo(data).replaceAll('%25', '%') };
}

test('is escaped, so that nothing ends a property or a command', () => {
  const evil = 'a%0A,b:c::error::=d\r\n::warning::e%';
  const report = {
    files: [
      checkedFile([subject([finding({ rule: evil, message: evil, hint: 'h' })])], { file: `x/${evil}` }),
    ],
  };
  const lines = github(report).split('\n');
  expect(lines).toHaveLength(3);
  expect(read(lines[0] as string)).toEqual({
    ...{ level: 'error', file: `x/${evil}`, line: '3', title: evil },
    message: `${evil}\nh`,
  });
});

test('nothing else steers who reads the log', () => {
  const report = { files: [checkedFile([subject([finding({ message: 'a\u001b[2Jb\u202ec' })])])] };
  expect(github(report)).toContain('::a\ufffd[2Jb\ufffdc\n');
});

test('keeps within what GitHub shows, and says what it left out', () => {
  const many = Array.from({ length: 30 }, (_, i) => finding({ rule: `x.${i}`, line: i + 1, column: 1 }));
  const warnings = many.map((each) => ({ ...each, severity: 'warn' as const }));
  const output = github({ files: [checkedFile([subject([...many, ...warnings])])] });
  expect(output.match(/^::error/gm)).toHaveLength(10);
  expect(output.match(/^::warning/gm)).toHaveLength(10);
  expect(output).toMatch(/\nPatchgate: 30 errors, 30 warnings: .*; 40 further annotations left out, since/);
});

test('standard input has no file, so that its place is in the message', () => {
  const report = {
    files: [checkedFile([subject([finding({ line: 2, column: 3 })])], { file: '<stdin>' })],
  };
  expect(github(report)).toContain('::error title=schema.type::<stdin>:2:3: name must be a string\n');
});

test('requests that could not be judged are one notice for each file, at the first', () => {
  const skipped = [4, 9].map((line) => ({
    pointer: '/0',
    line,
    method: 'PATCH',
    path: '/p',
    why: 'no body',
  }));
  const files = ['a.har', '<stdin>'].map((file) => checkedFile([], { file, skipped }));
  expect(github({ files }).split('\n').slice(0, 2)).toEqual([
    '::notice file=a.har,line=4,title=patchgate::2 requests could not be judged: no body',
    '::notice title=patchgate::<stdin>: 2 requests could not be judged: no body',
  ]);
});

test('files are relative to the repository', () => {
  const report = { files: [checkedFile([subject([finding()])], { file: '../a.json' })] };
  expect(github(report, { ...SAMPLE_OPTIONS, cwd: '/repo/gate' })).toContain('::error file=a.json,');
});

test('the page of a job has the report for people, which nothing in it ends', () => {
  const clean = { files: SAMPLE_REPORT.files.slice(0, 1) };
  expect(githubSummary(clean, SAMPLE_OPTIONS)).toMatch(
    /^### Patchgate: passed\n\n```text\nno findings: .*\n```\n\n$/,
  );
  const evil = finding({ message: '```` </code> @team', hint: '\n```\n' });
  const page = githubSummary({ files: [checkedFile([subject([evil])])] }, SAMPLE_OPTIONS);
  expect(page).toMatch(/^### Patchgate: failed\n\n`````text\n/);
  expect(page.match(/^`{3,}/gm)).toEqual(['`````', '`````']);
});

test('the page of a job stays below what GitHub takes', () => {
  const long = (i: number) =>
    finding({ message: `${i}${'\u4e00'.repeat(50_000)}`, pointer: '\u4e00'.repeat(9000) });
  const many = checkedFile([subject(Array.from({ length: 600 }, (_, i) => long(i)))]);
  expect(Buffer.byteLength(githubSummary({ files: [many] }, SAMPLE_OPTIONS))).toBeLessThan(1024 * 1024);
});
