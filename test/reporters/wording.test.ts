import { expect, test } from 'vitest';
import { text } from '../../src/reporters/text.ts';
import { amount, visible } from '../../src/reporters/wording.ts';
import { checkedFile, finding, subject } from './sample-findings.ts';
import { joined } from './sample-options.ts';

/** Whether the runner of GitHub takes a line of a log for a command: as its ActionCommand reads both of its forms. */
function isCommand(line: string): boolean {
  const trimmed = line.trimStart();
  return (trimmed.startsWith('::') && trimmed.indexOf('::', 2) > 0) || /##\[[^\]]*\]/.test(line);
}

test('a command for what reads the log is one no more', () => {
  for (const command of ['::error::x', ' \t::stop-commands::x', 'a ##[set-output name=x]y', '###[error]x']) {
    expect(isCommand(command)).toBe(true);
    expect(isCommand(visible(command))).toBe(false);
    expect(visible(command)).toHaveLength(command.length);
  }
  expect(visible('a::b ## [c] #[d]')).toBe('a::b ## [c] #[d]');
});

test('nothing in a text report is one, wherever it comes from', () => {
  const evil = '::error::##[add-mask]e';
  const found = finding({
    ...{ rule: evil, message: evil, hint: evil, source: evil, pointer: evil, line: 1, column: 1 },
    excerpt: { text: evil, caret: 3 },
  });
  const files = [
    checkedFile([subject([found, finding()], { method: evil, path: evil, pointer: evil })], {
      file: evil,
      skipped: [{ pointer: evil, method: evil, path: evil, why: evil }],
    }),
  ];
  const report = { files, remarks: [{ severity: 'note', message: evil, hint: evil }] } as const;
  const lines = joined(text(report, { isColoured: false })).split('\n');
  expect(lines.filter(isCommand)).toEqual([]);
  expect(lines.filter((line) => line.includes('#[add-mask]')).length).toBeGreaterThan(8);
});

test('amounts', () => {
  expect([0, 1, 2, 1234567].map((number) => amount(number, 'file'))).toEqual([
    ...['0 files', '1 file', '2 files', '1,234,567 files'],
  ]);
});
