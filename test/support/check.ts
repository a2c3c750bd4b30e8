/** Texts as `check` judges them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hideSecrets } from '../../src/commands/check/hide-secrets.ts';
import { InitialState, type InitialStateOptions } from '../../src/commands/check/history.ts';
import type { JudgedAs } from '../../src/commands/check/judge.ts';
import { judgeAll } from '../../src/commands/check/judge.ts';
import type { Gate } from '../../src/gate/gate.ts';
import { DEFAULT_REDACTION } from '../../src/recordings/redaction/redaction.ts';
import type { CheckedFile, PlacedFinding, Subject } from '../../src/reporters/report.ts';
import { gate } from './gate.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface TextOptions extends Partial<InitialStateOptions> {
  /** Of the file. */
  folder?: string;
  as?: JudgedAs;
  gate?: Gate;
}

export async function checkHar(har: unknown, options: TextOptions = {}): Promise<CheckedFile> {
  return checkFile('x.har', har, options);
}

export async function checkLines(text: string | Buffer, options: TextOptions = {}): Promise<CheckedFile> {
  return checkFile('x.jsonl', text, options);
}

/** As a report has it. */
async function checkFile(name: string, content: unknown, options: TextOptions): Promise<CheckedFile> {
  const { as = {} } = options;
  const cwd = options.folder ?? temporaryFolder();
  const isText = typeof content === 'string' || Buffer.isBuffer(content);
  writeFileSync(join(cwd, name), isText ? content : JSON.stringify(content));
  const io = { cwd, stdin: (async function* () {})() };
  const judge = options.gate ?? gate({ guard: 'off' });
  const files = await judgeAll(judge, [name], as, new InitialState([]), io);
  return hideSecrets(files, DEFAULT_REDACTION)[0] as CheckedFile;
}

/** What stands in a text from the place of a finding to the end of its line. */
export function textAt(text: string, { line = 0, column = 0 }: { line?: number; column?: number }): string {
  return text.split('\n')[line - 1]?.slice(column - 1) ?? '';
}

/** The findings of all subjects: rule, and what is at its place. */
export function placesIn(text: string, { subjects }: { subjects: readonly Subject[] }): [string, string][] {
  return findingsOf(subjects).map((finding) => [finding.rule, textAt(text, finding)]);
}

export function findingsOf(subjects: readonly Subject[]): PlacedFinding[] {
  return subjects.flatMap(({ findings }) => findings);
}
