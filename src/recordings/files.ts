import { isUtf8 } from 'node:buffer';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PatchgateError } from '../errors.ts';
import { isObject, parseJson } from '../json/json.ts';
import { findPlace, placeAt, startInUtf8, syntaxErrorOf } from '../json/json-text.ts';
import type { Exchange } from '../model/exchange.ts';
import { nearest } from '../model/nearest.ts';
import { problemOf } from '../schemas/check.ts';
import { brokenFile, ifThere, isFolder, readFileIfThere, writeFileAtomically } from './disk.ts';
import { type Place, placeOf, RESERVED } from './names.ts';

const FORMAT_VERSION = 1;
const HINT = 'correct the file, take it back from version control, or delete it and record again';

export interface RecordingContent {
  formatVersion: typeof FORMAT_VERSION;
  exchanges: readonly Exchange[];
}

/** Changes the exchanges of a file, which is replaced whole or not at all; one that is not there holds none.
 *  @param change gives the very list that it gets if the file is to stay as it is
 *  @throws PatchgateError `cannot-read`, `bad-recording` with line and column, `cannot-write` */
export async function changeFile(
  file: string,
  place: Place | undefined,
  change: (before: readonly Exchange[]) => readonly Exchange[],
): Promise<void> {
  const before = readRecording(file, place) ?? { formatVersion: FORMAT_VERSION, exchanges: [] };
  const exchanges = change(before.exchanges);
  if (exchanges === before.exchanges) return;
  await writeFileAtomically(file, `${JSON.stringify({ ...before, exchanges }, null, 2)}\n`);
}

/** What a file has, or undefined if there is none. @throws PatchgateError `cannot-read`, `bad-recording` with line and column */
export function readRecording(file: string, place?: Place): RecordingContent | undefined {
  const bytes = readFileIfThere(file);
  return bytes && parseRecording(decodeRecording(bytes, file), file, place);
}

/** Methods and paths of the files in a recording's folder, sorted. All else is left alone. @throws PatchgateError as `readRecording` */
export function* placesIn(root: string, below = ''): Generator<Place> {
  const folder = join(root, below);
  const entries = ifThere(folder, () => readdirSync(folder, { withFileTypes: true })) ?? [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const location = below + entry.name;
    const at = join(root, location);
    const found = entry.isSymbolicLink() ? (ifThere(at, () => statSync(at)) ?? entry) : entry;
    if (found.isDirectory()) yield* placesIn(root, `${location}/`);
    const named = found.isFile() ? placeOf(location) : undefined;
    const place = named === 'hashed' ? readRecording(at)?.exchanges[0]?.request : named;
    if (place) yield { method: place.method, path: place.path };
  }
}

/** Reads the text of a recording's file and checks every field of it: nothing broken is ever taken for empty.
 *  @param place all exchanges must be of it @throws PatchgateError `bad-recording` with file, line and column */
export function parseRecording(text: string, file: string, place?: Place): RecordingContent {
  const content = parseJson(text);
  if (content === undefined) {
    const { offset = 0, message = 'this is no JSON' } = syntaxErrorOf(text) ?? {};
    throw brokenFile(file, placeAt(text, offset), message, HINT);
  }
  const broken = (pointer: string, what: string, hint = HINT) =>
    brokenFile(file, findPlace(text, pointer), what, hint);
  const version = isObject(content) ? content.formatVersion : undefined;
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    const what = `the file is of format ${version}, this Patchgate reads up to ${FORMAT_VERSION}`;
    throw broken('/formatVersion', what, 'update patchgate, or record again');
  }
  const { pointer, what } = problemOf('recording', content)?.brief ?? {};
  if (pointer !== undefined) throw broken(pointer, `${pointer || 'the file'} ${what}`);
  const found = content as unknown as RecordingContent;
  for (const [i, { request }] of place ? found.exchanges.entries() : [])
    for (const name of ['method', 'path'] as const)
      if (request[name] !== place?.[name]) {
        const what = `the ${name} is ${request[name]}, but this file is that of ${place?.[name]}`;
        throw broken(`/exchanges/${i}/request/${name}`, what);
      }
  return found;
}

/** The text of a file's bytes. @throws PatchgateError `bad-recording` with the place that is not UTF-8 */
export function decodeRecording(bytes: Buffer, file: string): string {
  if (isUtf8(bytes)) return bytes.toString();
  const start = startInUtf8(bytes);
  throw brokenFile(file, placeAt(start, start.length), 'this is not valid UTF-8', HINT);
}

/** A name that every file system takes, and that leads out of no folder. */
const RECORDING_NAME = /^(?![ .])[^/\\<>:"|?*\p{Cc}]{1,100}(?<![ .])$/u;

function isRecordingName(name: string): boolean {
  return RECORDING_NAME.test(name) && !RESERVED.test(name);
}

/** @throws PatchgateError `bad-usage` */
export function checkRecordingName(name: string): void {
  if (isRecordingName(name)) return;
  const last = name.split(/[/\\]/).findLast((part) => /\w/.test(part));
  const hint = 'name it with letters, digits, - and _: checkout-tests';
  throw new PatchgateError('bad-usage', `${JSON.stringify(name)} cannot be the name of a recording`, {
    hint: last && last !== name ? `did you mean ${last}? its folder is given with --recordings` : hint,
  });
}

const HOW_TO_RECORD =
  'choose another with --recording or --recordings, or record it: patchgate proxy URL --record; for exec and tests: PATCHGATE_RECORD=all PATCHGATE_TARGET=URL';
const MOST = 10;

/** The folder of a recording that must be there: a misspelt name would be an empty recording, which answers nothing.
 *  @throws PatchgateError `bad-usage`, `cannot-read` */
export async function findRecording(folder: string, name: string): Promise<string> {
  checkRecordingName(name);
  const root = join(folder, name);
  if (isFolder(root)) return root;
  throw noSuchRecording(name, await recordingNames(folder), `${folder}/`, resolve(folder));
}

/** @param place that is searched @param fullPlace the same, if there is none at all */
export function noSuchRecording(name: string, names: readonly string[], place: string, fullPlace: string) {
  const near = nearest(name, names);
  const listed = `there are: ${names.slice(0, MOST).join(', ')}${names.length > MOST ? ', …' : ''}`;
  const there = names.length > 0 ? listed : `there is none in ${fullPlace}`;
  const hint = near ? `did you mean "${near}"?` : HOW_TO_RECORD;
  return new PatchgateError('bad-usage', `there is no recording "${name}" in ${place} (${there})`, { hint });
}

/** Names of the recordings in a folder, sorted; none if the folder is not there. @throws PatchgateError `cannot-read` */
export async function recordingNames(folder: string): Promise<string[]> {
  const names = ifThere(folder, () => readdirSync(folder)) ?? [];
  return names.filter((name) => isRecordingName(name) && isFolder(join(folder, name))).sort();
}
