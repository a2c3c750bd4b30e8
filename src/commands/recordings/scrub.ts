import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { findRecording, recordingNames } from '../../recordings/find-recording.ts';
import { type Redaction, redactionOf } from '../../recordings/redaction/redaction.ts';
import { type Leftover, scrubRecording } from '../../recordings/scrub.ts';
import { amount } from '../../reporters/wording.ts';
import { printable } from '../../server/printable.ts';
import { resolveConfig } from '../../settings/config.ts';
import { flagsOf, REDACTION, withSettings } from '../options.ts';
import { type Output, standardOutput } from '../output.ts';

/** As the builder has yargs read them. */
interface Args {
  names?: string[];
  check: boolean;
}

export const scrub: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, ['recordings', ...REDACTION])
      .positional('names', {
        type: 'string',
        array: true,
        describe: 'Names of recordings; all where none is given',
      })
      .option('check', {
        type: 'boolean',
        default: false,
        describe: 'Change nothing; exit with 1 where something is found',
      })
      .example('$0 recordings scrub checkout', 'put placeholders in the place of secrets')
      .example('$0 recordings scrub --check', 'in CI: is there a secret in any recording?'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { names = [], check } = argv as unknown as Args;
    const args = { folder: config.recordings, names, check, redaction: redactionOf(config) };
    process.exitCode = await runScrub(args, standardOutput());
  },
};

export interface ScrubArgs {
  /** That of all recordings. */
  folder: string;
  /** None: all that are there. */
  names: readonly string[];
  /** Changes nothing. */
  check: boolean;
  redaction: Redaction;
}

/**
 * Redacts recordings and writes what was found where, never the value. One that is broken keeps no other from its turn.
 *
 * @returns the exit code: 1 where `check` found something, 0 otherwise
 * @throws PatchgateError of the first recording that could not be scrubbed, once all others are
 */
export async function runScrub(
  { folder, names, check, redaction }: ScrubArgs,
  output: Output,
): Promise<0 | 1> {
  for (const name of names) await findRecording(folder, name);
  const all = names.length > 0 ? names : await recordingNames(folder);
  const failures: unknown[] = [];
  let found = 0;
  let staying = 0;
  for (const name of all) {
    try {
      const leftovers = await scrubRecording(folder, name, redaction, { check });
      found += leftovers.length;
      staying += leftovers.filter(isInPath).length;
      await output.write(leftovers.map((leftover) => lineOf(join(folder, name), leftover)).join(''));
    } catch (error) {
      failures.push(error);
    }
  }
  const looked = all.length - failures.length;
  if (looked > 0 || failures.length === 0) await output.write(summaryText(looked, found, staying, check));
  if (failures.length > 0) throw failures[0];
  return check && found > 0 ? 1 : 0;
}

function lineOf(root: string, leftover: Leftover): string {
  const { file, place, what } = leftover;
  const within = isInPath(leftover) ? 'the path itself' : place;
  return printable(`${join(root, file)}: ${within}: ${what}`).concat('\n');
}

/** A path is the name of a file: scrubbing leaves it. */
function isInPath({ place }: Leftover): boolean {
  return place === 'path';
}

function summaryText(recordings: number, found: number, staying: number, check: boolean): string {
  const where = `in ${amount(recordings, 'recording')}`;
  if (found === 0) return `no secrets ${where}\n`;
  const places = amount(found, 'place');
  if (check) return `secrets at ${places} ${where}\n  patchgate recordings scrub redacts them\n`;
  const rest =
    staying > 0
      ? `${amount(staying, 'place')} left: a path is the name of its file; remove it, and record without it\n`
      : '';
  return `redacted ${amount(found - staying, 'place')} ${where}\n${rest}`;
}
