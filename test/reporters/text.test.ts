import { expect, test } from 'vitest';
import type { Report } from '../../src/reporters/report.ts';
import { text as reporter } from '../../src/reporters/text.ts';
import { amount, visible } from '../../src/reporters/wording.ts';
import { checkedFile, finding, hostileReport, REMARKS, SAMPLE, subject } from './samples.ts';

const text = (report: Report, isColoured = false) => reporter(report, { isColoured });

test('shows each finding with its place, line, reason and hint, by file; files with errors come last', () => {
  expect(text(SAMPLE)).toBe(`recordings/PATCH.json

  recordings/PATCH.json:12:7  warn  x.warns  new
    at /name, PATCH /accounts/current/projects/42 (/exchanges/3), stated, service-api 2.1

bodies/bad.json

  bodies/bad.json:2:3  error  schema.required  languages is mandatory
    2 | { "name": "Checkout" }
      |  ^
    at /languages, stated, service-api 2.1
    hint: send the full project

  bodies/bad.json  warn  request.too-large  large
    protocol

  and 1 more finding: -f json has all

1 error, 2 warnings, 1 more: 3 requests judged, 1 would be blocked, 2 not concerned, in 3 files
`);
});

test('a clean report is its summary alone', () => {
  expect(text({ files: SAMPLE.files.slice(0, 1) })).toBe(
    'no findings: 1 request judged, 0 would be blocked, in 1 file\n',
  );
});

test('remarks come behind the findings', () => {
  expect(text(REMARKS)).toMatch(
    /^warn: nothing was judged\n {2}hint: check the paths\nnote: judged as updateProject\n\nno findings/,
  );
});

test('findings come in the order of their places, those without one last', () => {
  const at = (line?: number, column?: number) =>
    finding({
      rule: `x.${line}-${column}`,
      ...(line !== undefined && column !== undefined && { line, column }),
    });
  const output = text({ files: [checkedFile([subject([at(), at(10, 1), at(2, 9), at(2, 3)])])] });
  expect(output.match(/(?<=error {2}x\.)\S+/g)).toEqual(['2-3', '2-9', '10-1', 'undefined-undefined']);
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
    checkedFile([subject([at(7, 9), at(0, 2)]), subject([at(3, 40), finding({ message: 'other' })])]),
    checkedFile([subject([at(0, 2)])], { file: 'b.json' }),
  ];
  expect(text({ files }).match(/.* error .*/g)).toEqual([
    '  recordings/PATCH.json:2:5  error  schema.type  /items/0/id must be an integer (3 times)',
    '  recordings/PATCH.json  error  schema.type  other',
    '  b.json:2:5  error  schema.type  /items/0/id must be an integer',
  ]);
  expect(text({ files })).toContain('\n5 errors, 0 warnings: 3 requests judged');
});

test('very many findings are bounded: errors before warnings, and every file is named', () => {
  const errors = (count: number) =>
    Array.from({ length: count }, (_, i) => finding({ message: `error ${i}` }));
  const warning = finding({ severity: 'warn', rule: 'x.warns' });
  const output = text({
    files: [
      checkedFile([subject([warning, ...errors(150)])], { file: 'a.json' }),
      checkedFile([subject(errors(6000))], { file: 'b.json' }),
      checkedFile([subject(errors(3))], { file: 'c.json' }),
    ],
  });
  expect(['a.json', 'b.json', 'c.json'].map((file) => output.split(`\n  ${file}  `).length - 1)).toEqual([
    150, 50, 0,
  ]);
  expect(output).not.toContain('x.warns');
  expect(output).toContain('\n  and 5,950 more findings: -f json has all\n\nc.json: 3 findings\n');
});

test('nothing from a file reaches the terminal as a command, or the log of a CI system', () => {
  for (const hostile of ['a\u001b[2Jb\u202ec\rd\ud800e\tf\n', '::error::##[add-mask]e']) {
    const output = text(hostileReport(hostile));
    expect(output).not.toMatch(/[^\n\P{C}]/u);
    expect(output).not.toMatch(/^\s*::.*::|##\[[^\]]*\]/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour is
    expect(text(hostileReport(hostile), true).replace(/\u001b\[\d+m/g, '')).toBe(output);
  }
  expect(visible('a::b ## [c] #[d]')).toBe('a::b ## [c] #[d]');
});

test('on a terminal: errors red, warnings yellow, names of files bold, reasons grey', () => {
  const output = text(SAMPLE, true);
  expect(output).toContain('\u001b[1m\u001b[4mbodies/bad.json\u001b[24m\u001b[22m\n');
  expect(output).toContain('  \u001b[31merror\u001b[39m  schema.required  ');
  expect(output).toContain('  \u001b[33mwarn\u001b[39m  request.too-large  ');
  expect(output).toContain('    \u001b[90mprotocol\u001b[39m\n');
});

test('cuts what nobody reads whole', () => {
  const long = `/${'k'.repeat(5000)}`;
  const output = text({
    files: [checkedFile([subject([finding({ message: long, pointer: long, hint: long })])])],
  });
  expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThan(700);
});

test('amounts', () => {
  expect([0, 1, 2, 1234567].map((number) => amount(number, 'file'))).toEqual([
    ...['0 files', '1 file', '2 files', '1,234,567 files'],
  ]);
});
