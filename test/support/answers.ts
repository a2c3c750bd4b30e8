/** Comparing what clients get, and what lies on the disk. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type RawRequest, sendRaw, valuesOf } from './raw.ts';

/** What a client can tell two answers apart by. */
export async function answersTo(gate: { port: number }, requests: readonly RawRequest[]) {
  const answers: { status: number; type: string[]; body: string }[] = [];
  for (const request of requests) {
    const response = await sendRaw(gate.port, request);
    answers.push({
      status: response.status,
      type: valuesOf(response, 'content-type'),
      body: response.body.toString('latin1'),
    });
  }
  return answers;
}

/** All files below a folder, with their text. */
export function filesIn(folder: string): Map<string, string> {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file, readFileSync(file, 'utf8')]),
  );
}

/** The same without what the tool keeps beside the exchanges of a recording, for itself: which were served last. */
export function exchangeFilesIn(folder: string): Map<string, string> {
  return new Map([...filesIn(folder)].filter(([file]) => !file.split(sep).includes('.patchgate')));
}
