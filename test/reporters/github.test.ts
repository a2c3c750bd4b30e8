import { describe, expect, test } from 'vitest';
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

test('a remark that fails is an error, any other a notice', () => {
  const lines = github(REMARKS_REPORT).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    '::error title=patchgate::x is wrong%0Afix it',
    '::warning file=recordings/PATCH.json,line=6,col=1,title=x.warns::new',
    '::notice title=patchgate::nothing was judged',
    '::notice title=patchgate::wrote 1 file',
  ]);
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

test('keeps within what GitHub shows, one of each rule first, and says what it left out', () => {
  const many = Array.from({ length: 30 }, (_, i) => finding({ line: i + 1, column: 1 }));
  const rare = finding({ rule: 'x.rare', line: 99, column: 1 });
  const warnings = many.map((each) => ({ ...each, severity: 'warn' as const }));
  const output = github({ files: [checkedFile([subject([...many, rare, ...warnings])])] });
  expect(output.match(/^::error/gm)).toHaveLength(10);
  expect(output.match(/^::warning/gm)).toHaveLength(10);
  expect(output.split('\n')[1]).toContain('title=x.rare');
  expect(output).toMatch(/\nPatchgate: 31 errors, 30 warnings: .*; 41 further annotations left out, since/);
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

describe('the page of a job', () => {
  test('is a table of findings, errors first', () => {
    expect(githubSummary(SAMPLE_REPORT, SAMPLE_OPTIONS)).toBe(`### Patchgate: failed

1 error, 2 warnings, 1 more: 3 requests judged, 1 would be blocked, 2 not concerned, in 3 files

| | Place | Rule | Finding |
| --- | --- | --- | --- |
| error | bodies/bad.json:2:3 | schema.required | languages is mandatory; send the full project |
| warn | bodies/bad.json | request.too-large | large |
| warn | recordings/PATCH.json:12:7 | schema.unknown-field | owner is not listed |

`);
  });

  test('says that it passed, and what remarks there are', () => {
    const clean = { files: SAMPLE_REPORT.files.slice(0, 1) };
    expect(githubSummary(clean, SAMPLE_OPTIONS)).toMatch(/^### Patchgate: passed\n\nno findings: .*\n\n$/);
    expect(githubSummary(REMARKS_REPORT, SAMPLE_OPTIONS)).toContain(
      '\n- error: x is wrong fix it\n- warn: nothing was',
    );
  });

  test('nothing from a file is Markdown or HTML', () => {
    const message = '| a |\n| <img src=x> `b` [c](d) **e** &amp; \\| #1 ~~f~~ $g$';
    const report = { files: [checkedFile([subject([finding({ message, rule: 'x_y' })])])] };
    expect(githubSummary(report, SAMPLE_OPTIONS)).toContain(
      '| x\\_y | \\| a \\|\ufffd\\| \\<img src=x\\> \\`b\\` \\[c\\](d) \\*\\*e\\*\\* \\&amp; \\\\\\| \\#&#8203;1 \\~\\~f\\~\\~ \\$g\\$ |\n',
    );
  });

  test('stays far below what GitHub takes', () => {
    const long = finding({ message: '\u4e00'.repeat(50_000), rule: '\u4e00'.repeat(50_000) });
    const summary = githubSummary(
      {
        files: [
          checkedFile([subject(Array.from({ length: 600 }, () => long))], { file: '\u4e00'.repeat(5000) }),
        ],
      },
      SAMPLE_OPTIONS,
    );
    expect(Buffer.byteLength(summary)).toBeLessThan(512 * 1024);
    expect(summary).toMatch(/\n\nand \d+ more\n\n/);
    const few = githubSummary(
      { files: [checkedFile([subject(Array.from({ length: 600 }, () => finding()))])] },
      SAMPLE_OPTIONS,
    );
    expect(few).toContain('\n\nand 100 more\n\n');
  });
});
