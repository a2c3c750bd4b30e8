import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isAudit, readAudit } from '../../../src/commands/report/read-audit.ts';
import { auditLine } from '../../support/audit.ts';
import { laterRefusal, refusal } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const GOOD = auditLine();
/** Of a decision about an approval. */
const DECISION = JSON.stringify({
  ...{
    audit: 1,
    time: '2026-11-23T05:00:00.000Z',
    event: 'decision',
    approval: 'k3f9x2ab',
    decision: 'approve',
  },
  ...{ by: 'anna', method: 'PATCH', path: '/accounts/current/projects/42', effects: [] },
});

/** The numbers of the lines of a text, cut into pieces of so many bytes. */
async function numbersIn(text: string, size = text.length || 1): Promise<number[]> {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  const numbers: number[] = [];
  for await (const { number, line } of readAudit('audit.jsonl', '.', chunks)) {
    expect(line).toEqual(JSON.parse(GOOD));
    numbers.push(number);
  }
  return numbers;
}

it.each([
  ['nothing', '', []],
  ['lines', `${GOOD}\n${GOOD}\n`, [1, 2]],
  ['blank lines', `\n${GOOD}\r\n  \n${GOOD}\n`, [2, 4]],
  ['requests, and no decisions', `${DECISION}\n${GOOD}\n${DECISION}\n`, [2]],
  ['half a line at the end', `${GOOD}\n${GOOD.slice(0, 40)}`, [1]],
  ['half a character at the end', `${GOOD}\n{"audit":1,"time":"ü`, [1]],
])('reads %s', async (_what, text, numbers) => {
  expect(await numbersIn(text)).toEqual(numbers);
  expect(await numbersIn(text, 7)).toEqual(numbers);
});

it.each([
  ['{"time":', /^audit\.jsonl:2: invalid JSON: .* \(correct the line, or take it out\)$/],
  ['[]', /^audit\.jsonl:2: this is no line of an audit: must be an object/],
  ['{"audit":1,"time":"now"}', /^audit\.jsonl:2: this is no line of an audit: .*(?:time|method)/],
  [GOOD.replace('"audit":1', '"audit":2'), /^audit\.jsonl:2: .*\/audit must be 1/],
  [DECISION.replace('approve', 'perhaps'), /^audit\.jsonl:2: .*\/decision must be one of: approve, decline/],
  [DECISION.replace('"event":"decision"', '"event":"x"'), /^audit\.jsonl:2: .*\/event must be/],
  [GOOD.replace('"pass"', '"perhaps"'), /^audit\.jsonl:2: .*\/verdict must be one of: block, pass/],
])('says where %s is broken', async (line, said) => {
  expect(await laterRefusal('bad-input', numbersIn(`${GOOD}\n${line}\n`))).toMatch(said);
});

it.each([
  [GOOD, true],
  [' { "audit" : 1', true],
  ['{"time":"2026-11-23T05:00:00Z","method":"PATCH","url":"/"}', false],
  ['{"method":"PATCH"}', false],
  ['', false],
])('knows an audit by its beginning: %s', (text, is) => {
  const file = join(temporaryFolder(), 'x');
  writeFileSync(file, text);
  expect(isAudit(file, '.')).toBe(is);
});

it('takes what cannot be read for none', () => {
  expect(isAudit(temporaryFolder(), '.')).toBe(false);
});

it('refuses a pipe, which could not be read again', () => {
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(refusal('bad-input', () => isAudit(pipe, '.'))).toContain('standard input');
});
