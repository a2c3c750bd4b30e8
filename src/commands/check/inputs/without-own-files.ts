import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { PatchgateError } from '../../../errors.ts';
import type { ReportOutput } from '../report/outputs.ts';
import { realPlace } from '../report/real-place.ts';

/** How the reports begin that are JSON. No body, recording or archive begins like one of them. */
const BEGINNING =
  /^(?:\{\n {2}"version": 1,\n {2}"summary": \{|\{\n {2}"\$schema": "https:\/\/docs\.oasis-open\.org\/sarif\/|\[\n {2}\{\n {4}"description": |\[\]\n$)/;
const LONGEST_BEGINNING = 100;

/** What a check has files of its own for. */
export interface OwnFiles {
  inputs: readonly string[];
  baseline?: string | undefined;
  /** Absolute. */
  configFile?: string | undefined;
  outputs: readonly ReportOutput[];
}

/**
 * The files without the config file, the baseline, and the reports that the last run wrote where this one writes its own: they may
 * well lie in a folder that is judged. One that was named itself stays, and so does what stands in a report's place and is none.
 *
 * @param files as `findInputs` gives them for the inputs
 * @throws PatchgateError `bad-input` where there is nothing else
 */
export function withoutOwnFiles(
  files: readonly string[],
  { inputs, baseline, configFile, outputs }: OwnFiles,
  cwd: string,
): readonly string[] {
  const own = new Set([baseline ?? [], configFile ?? []].flat().map((file) => resolve(cwd, file)));
  const reports = new Set(outputs.flatMap(({ file }) => file ?? []).map((file) => resolve(cwd, file)));
  const isOwn = (file: string) => {
    const place = resolve(cwd, file);
    return own.has(place) || (reports.has(place) && isReport(realPlace(place)));
  };
  const others = files.filter((file) => inputs.includes(file) || !isOwn(file));
  if (others.length > 0) return others;
  throw new PatchgateError(
    'bad-input',
    'there is nothing to judge but the config file, the baseline and reports',
    {
      hint: 'give the folder of a recording, or of bodies',
    },
  );
}

function isReport(file: string): boolean {
  const buffer = Buffer.alloc(LONGEST_BEGINNING);
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    return BEGINNING.test(buffer.toString('utf8', 0, readSync(handle, buffer)));
  } catch {
    // What cannot be read is no report; as an input it is told of.
    return false;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
