import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PatchgateError } from '../errors.ts';
import { nearest } from '../model/nearest.ts';
import { ifThere, isFolder } from './disk.ts';
import { RESERVED } from './names.ts';

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
/** Names that a message lists. */
const MOST = 10;

/** The folder of a recording that must be there: a misspelt name would be an empty recording, which answers nothing.
 *  @throws PatchgateError `bad-usage`, `cannot-read` */
export async function findRecording(folder: string, name: string): Promise<string> {
  checkRecordingName(name);
  const root = join(folder, name);
  if (isFolder(root)) return root;
  // Which folder it starts from is what one is most often wrong about.
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
