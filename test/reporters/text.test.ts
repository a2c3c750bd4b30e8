import { describe, expect, test } from 'vitest';
import type { Excerpt, Report } from '../../src/reporters/report.ts';
import { text as reporter } from '../../src/reporters/text.ts';
import { checkedFile, finding, REMARKS_REPORT, subject } from './sample-findings.ts';
import { joined } from './sample-options.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

const text = (report: Report, isColoured = false) => joined(reporter(report, { isColoured }));

test('shows each finding with its place, line, reason and hint, by file, and sums up; files with errors come last', () => {
  expect(text(SAMPLE_REPORT)).toBe(`recordings/PATCH.json

  PATCH /accounts/current/projects/42 (/exchanges/3)

  recordings/PATCH.json:12:7  warn  schema.unknown-field  owner is not listed
    12 | 😀 "owner": "me"
       |    ^
    at /owner, inferred

bodies/bad.json

  bodies/bad.json:2:3  error  schema.required  languages is mandatory
    2 | { "name": "Checkout" }
      |  ^
    at /languages, stated, service-api 4.1 rule 1
    hint: send the full project

  bodies/bad.json  warn  request.too-large  large
    protocol

  and 1 more finding

1 error, 2 warnings, 1 more: 3 requests judged, 1 would be blocked, 2 not concerned, in 3 files
`);
});

test('findings come in the order of their places, those without one last', () => {
  const at = (line?: number, column?: number) =>
    finding({
      rule: `rule.${line}-${column}`,
      ...(line !== undefined && column !== undefined && { line, column }),
    });
  const output = text({ files: [checkedFile([subject([at(), at(10, 1), at(2, 9), at(2, 3)])])] });
  expect(output.match(/(?<=error {2})rule\.\S+(?= {2}name)/g)).toEqual([
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

test('skipped requests and remarks are told', () => {
  expect(text(REMARKS_REPORT)).toBe(`recordings/PATCH.json

  PATCH /accounts/current/projects/42 (/exchanges/0)

  recordings/PATCH.json:6:1  warn  x.warns  new
    at /name, stated, service-api 2.1

Not judged, 1 request: the request's body is not in the file
  recordings/PATCH.json:90  PATCH /accounts/current/drafts/1 (/log/entries/7)

warn: nothing was judged
  hint: check the paths
note: wrote 1 file

0 errors, 1 warning: 1 request judged, 0 would be blocked, 2 not concerned, 1 not judged, in 1 file
`);
});

test('findings that the gate left out are counted', () => {
  const output = text({ files: [checkedFile([subject([], { omitted: 7 })])] });
  expect(output).toContain('0 errors, 0 warnings, 7 more: ');
  expect(output).toContain('recordings/PATCH.json: 7 findings\n');
});

test('the same finding many times in a file is one line with a count', () => {
  const at = (item: number, line: number) =>
    finding({
      pointer: `/items/${item}/id`,
      message: `/items/${item}/id must be an integer`,
      line,
      column: 5,
    });
  const files = [
    checkedFile([subject([at(7, 9), at(0, 2)]), subject([at(3, 40), finding({ message: 'other' })])], {
      file: 'a.json',
    }),
    checkedFile([subject([at(0, 2)])], { file: 'b.json' }),
  ];
  expect(text({ files }).match(/.* error .*/g)).toEqual([
    '  a.json:2:5  error  schema.type  /items/0/id must be an integer (3 times)',
    '  a.json  error  schema.type  other',
    '  b.json:2:5  error  schema.type  /items/0/id must be an integer',
  ]);
  expect(text({ files })).toContain('\n5 errors, 0 warnings: 3 requests judged');
});

describe('very many findings', () => {
  const errors = (count: number) =>
    Array.from({ length: count }, (_, i) => finding({ message: `error ${i}`, line: i + 1, column: 1 }));

  test('are bounded: errors before warnings, every file is named, and none is hidden', () => {
    const warning = finding({ severity: 'warn', rule: 'x.warns', line: 1, column: 1 });
    const output = text({
      files: [
        checkedFile([subject([warning, ...errors(150)])], { file: 'a.json' }),
        checkedFile([subject(errors(6000))], { file: 'b.json' }),
        checkedFile([subject(errors(3))], { file: 'c.json' }),
      ],
    });
    const shownOf = (file: string) => output.split(`\n  ${file}:`).length - 1;
    expect(['a.json', 'b.json', 'c.json'].map(shownOf)).toEqual([150, 50, 0]);
    expect(output).not.toContain(' warn  x.warns  name');
    expect(output).toContain('\n  and 5,950 more findings\n\nc.json: 3 findings\n');
    expect(output).toContain('\nShown are 200 of 6,154 different findings: -f json has them all.\n');
    expect(output.split('\n').length).toBeLessThan(1000);
  });

  test('of skipped requests a few are named', () => {
    const skip = (i: number) => ({ pointer: `/${i}`, method: 'PATCH', path: '/x', why: 'no body' });
    const skipped = Array.from({ length: 1204 }, (_, i) => skip(i));
    const output = text({ files: [checkedFile([], { skipped })] });
    expect(output).toContain('Not judged, 1,204 requests: no body\n  recordings/PATCH.json  PATCH /x (/0)\n');
    expect(output).toContain('(/4)\n  and 1,199 more: -f json has them all\n');
  });
});

test.each<[shown: string, columns: number]>([
  ['abc', 3],
  ['\tab', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['名前', 4],
  ['ｱ', 1],
  ['Ａ', 2],
  ['😀', 2],
  ['\u{1f1e9}\u{1f1ea}', 2],
  ['\u202e', 1],
])('the caret stands under its character behind %j', (shown, columns) => {
  const excerpt: Excerpt = { text: `${shown}!`, caret: shown.length };
  const output = text({ files: [checkedFile([subject([finding({ line: 1, column: 1, excerpt })])])] });
  expect(output).toContain(`\n      | ${' '.repeat(columns)}^\n`);
});

test('nothing from a file reaches the terminal as a command', () => {
  const hostile = 'a\u001b[2Jb\u202ec\rd\ud800e\tf\n';
  const placed = finding({
    ...{ rule: hostile, pointer: `/${hostile}`, message: hostile, hint: hostile, source: hostile },
    ...{ line: 1, column: 1, excerpt: { text: hostile, caret: hostile.length } },
  });
  const judged = subject([placed], { pointer: hostile, path: hostile, method: hostile });
  const skipped = [{ pointer: hostile, method: hostile, path: hostile, why: hostile }];
  const report: Report = {
    files: [checkedFile([judged], { file: hostile, skipped })],
    remarks: [{ severity: 'warn', message: hostile, hint: hostile }],
  };
  const output = text(report);
  expect(output).not.toMatch(/[^\n\P{C}]/u);
  expect(output).toContain('a\ufffd[2Jb\ufffdc\ufffdd\ufffde f');
  expect(output.match(/\ufffd\n/g)?.length).toBeGreaterThan(5);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour is
  expect(text(report, true).replace(/\u001b\[\d+m/g, '')).toBe(output);
});

test('on a terminal: errors red, warnings yellow, names of files bold, reasons grey', () => {
  const output = text(SAMPLE_REPORT, true);
  expect(output).toContain('\u001b[1m\u001b[4mbodies/bad.json\u001b[24m\u001b[22m\n');
  expect(output).toContain('  \u001b[31merror\u001b[39m  schema.required  ');
  expect(output).toContain('  \u001b[33mwarn\u001b[39m  request.too-large  ');
  expect(output).toContain('    \u001b[90mat /owner, inferred\u001b[39m\n');
  expect(output).toContain('\u001b[33m^\u001b[39m\n');
});

test('cuts what nobody reads whole', () => {
  const long = `/${'k'.repeat(5000)}`;
  const output = text({
    files: [checkedFile([subject([finding({ message: long, pointer: long, hint: long })])])],
  });
  expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThan(600);
  expect(output.match(/k{499}…/g)).toHaveLength(3);
});
