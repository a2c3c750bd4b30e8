/** Texts as `check` judges them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hideSecrets } from '../../src/commands/check/hide-secrets.ts';
import { judgeAll } from '../../src/commands/check/judge.ts';
import type { Gate } from '../../src/gate/gate.ts';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import type { CheckedFile, PlacedFinding, Subject } from '../../src/reporters/report.ts';
import { gate } from './gate.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface TextOptions {
  /** Of the file. */
  folder?: string;
  gate?: Gate;
}

/** An archive as a report has it. */
export async function checkHar(content: unknown, options: TextOptions = {}): Promise<CheckedFile> {
  const cwd = options.folder ?? temporaryFolder();
  const isText = typeof content === 'string' || Buffer.isBuffer(content);
  writeFileSync(join(cwd, 'x.har'), isText ? content : JSON.stringify(content));
  const io = { cwd, stdin: (async function* () {})() };
  const judge = options.gate ?? gate({ guard: 'off' });
  const files = await judgeAll(judge, ['x.har'], {}, io);
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
