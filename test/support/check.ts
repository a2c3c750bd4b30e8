/** Texts as `check` judges them while it reads them. */

import { judgeHar } from '../../src/commands/check/har/judge-har.ts';
import { Beforehand, type BeforehandOptions } from '../../src/commands/check/history/beforehand.ts';
import { BodyTargets, type JudgedAs } from '../../src/commands/check/judging/body-targets.ts';
import { hideSecrets } from '../../src/commands/check/report/hide-secrets.ts';
import { judgeRequests } from '../../src/commands/check/requests/judge-requests.ts';
import type { Gate } from '../../src/gate/gate.ts';
import { DEFAULT_REDACTION } from '../../src/recordings/redaction/redaction.ts';
import type { CheckedFile, PlacedFinding, Subject } from '../../src/reporters/report.ts';
import { gate } from './gate.ts';

export interface StreamOptions extends Partial<BeforehandOptions> {
  /** Absolute. */
  path?: string;
  as?: JudgedAs;
  /** Bytes that come at once. */
  size?: number;
  gate?: Gate;
}

export async function checkHar(har: unknown, options: StreamOptions = {}): Promise<CheckedFile> {
  const { judge, beforehand, input } = prepared(har, options);
  return told(await judgeHar(judge, { name: 'x.har', kind: 'har', ...input }, beforehand));
}

export async function checkLines(text: string | Buffer, options: StreamOptions = {}): Promise<CheckedFile> {
  const { judge, beforehand, input } = prepared(text, options);
  const targets = new BodyTargets(judge, options.as ?? {});
  const named = { name: 'x.jsonl', kind: 'requests', ...input } as const;
  return told(await judgeRequests(judge, named, targets, beforehand));
}

/** As a report has it. */
function told(file: CheckedFile): CheckedFile {
  return hideSecrets([file], DEFAULT_REDACTION)[0] as CheckedFile;
}

function prepared(content: unknown, options: StreamOptions) {
  const { learn = ['project'], account, path, size = 1000 } = options;
  const bytes = Buffer.isBuffer(content)
    ? content
    : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  return {
    judge: options.gate ?? gate({ guard: 'off' }),
    beforehand: new Beforehand({ learn, account }, []),
    input: { path, chunks: chunksOf(bytes, size) },
  };
}

export async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
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
