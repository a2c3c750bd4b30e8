import { join, relative } from 'node:path';
import type { CommandModule } from 'yargs';
import { withDatabase } from '../../app/open-database.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Database } from '../../postgres/database.ts';
import { readExchanges, writeExchanges } from '../../recordings/files.ts';
import { findRecording, recordingNames } from '../../recordings/find-recording.ts';
import { readSegments, segmentFile } from '../../recordings/journal.ts';
import { toStoredExchange } from '../../recordings/plain-exchange.ts';
import { redactExchange } from '../../recordings/redact/redact.ts';
import { type Redaction, redactionOf } from '../../recordings/redact/redaction.ts';
import { exchangeText } from '../../recordings/store/file-format.ts';
import { placesIn } from '../../recordings/store/folder-tree.ts';
import { HIDDEN } from '../../recordings/store/hidden-folder.ts';
import { locationOf } from '../../recordings/store/location.ts';
import { openStore } from '../../recordings/store.ts';
import { amount } from '../../reporters/wording.ts';
import { printable } from '../../server/printable.ts';
import { type Config, resolveConfig } from '../../settings/config.ts';
import { flagsOf, isOn, RECORDINGS, REDACTION, withSettings } from '../options.ts';
import { type Output, standardOutput } from '../output.ts';
import { workOnFiles } from './work-on-files.ts';

/** As the builder has yargs read them. */
interface Args {
  names?: string[];
  check: boolean;
}

export const scrub: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...RECORDINGS, ...REDACTION])
      .positional('names', {
        type: 'string',
        array: true,
        describe: 'Names of recordings; all where none is given',
      })
      .option('check', isOn('Change nothing; exit with 1 where something is found'))
      .example('$0 recordings scrub checkout', 'put placeholders in the place of secrets')
      .example('$0 recordings scrub --check', 'in CI: is there a secret in any recording?'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { names = [], check } = argv as unknown as Args;
    const args = { folder: config.recordings, names, check, redaction: redactionOf(config) };
    process.exitCode = await withDatabase(config, (database) =>
      database ? scrubStored(database, args, config) : runScrub(args, standardOutput()),
    );
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

/** The same in the database. */
async function scrubStored(database: Database, args: ScrubArgs, config: Config): Promise<0 | 1> {
  const { recordingsIn, requireStored } = await import('../../postgres/frames.ts');
  for (const name of args.names) await requireStored(database, name);
  const names = args.names.length > 0 ? args.names : await recordingsIn(database);
  // What is said of files is true once it is back in the database.
  const parts: string[] = [];
  const output = { write: async (part: string) => parts.push(part) > 0 };
  const { code, folder } = await workOnFiles(database, names, config, async (folder) => ({
    code: await runScrub({ ...args, folder }, output),
    folder,
  }));
  await standardOutput().write(parts.join('').replaceAll(folder, database.name));
  return code;
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

/** A secret that a recording holds, or held until it was scrubbed. */
interface Leftover {
  /** Relative to the recording's folder. */
  file: string;
  /** `/exchanges/3/request/query/token`, `/exchanges/3/response/body/json/user/email`, `path` for that of the file itself;
   *  `exchange 12` of a journal. */
  place: string;
  /** Why it is one: `the name "token"`, `the pointer /user/email`, `the pattern \d{16}`, `a GitHub token`. */
  what: string;
}

/**
 * Redacts what a recording holds already, as if it were recorded now: what waits in the journal is moved into its files,
 * then each file is replaced whole or not at all. Doing it again changes nothing. A secret in a path stays, since it is the
 * name of a file: it is told of each time.
 *
 * @param check changes nothing, and reads the journal as it is
 * @returns what was found, without the values
 * @throws PatchgateError `recording-in-use`, `bad-recording`, `cannot-read`, `cannot-write`
 */
export async function scrubRecording(
  folder: string,
  name: string,
  redaction: Redaction,
  { check }: { check: boolean },
): Promise<Leftover[]> {
  const root = join(folder, name);
  if (check) return [...(await scrubFiles(root, redaction, true)), ...leftoversInJournal(root, redaction)];
  // What waits comes into the files, and no other process writes as long as it is open.
  const store = await openStore(folder, name, { writable: true });
  try {
    return await scrubFiles(root, redaction, false);
  } finally {
    await store.close();
  }
}

/** What stands in the journal, whether a file has it already or not. */
function leftoversInJournal(root: string, redaction: Redaction): Leftover[] {
  const folder = join(root, HIDDEN);
  const found = new Map<string, Leftover>();
  for (const { number, frames } of readSegments(folder)) {
    const file = relative(root, segmentFile(folder, number));
    for (const [index, frame] of frames.entries()) {
      const place = `exchange ${index + 1}`;
      redactExchange(toStoredExchange(frame), redaction, ({ what }) => {
        found.set(`${file} ${place} ${what}`, { file, place, what });
      });
    }
  }
  return [...found.values()];
}

async function scrubFiles(root: string, redaction: Redaction, check: boolean): Promise<Leftover[]> {
  const all: Leftover[] = [];
  for (const place of placesIn(root)) {
    const name = locationOf(place.method, place.path);
    const exchanges = readExchanges(join(root, name), place) ?? [];
    const found = new Map<string, Leftover>();
    const clean = exchanges.map((exchange, i): Exchange => {
      const redacted = redactExchange(exchange, redaction, ({ what, place: within }) => {
        const where = within === 'request/path' ? 'path' : `/exchanges/${i}/${within}`;
        found.set(`${where}\n${what}`, { file: name, place: where, what });
      });
      // Its file has the name of its path.
      const { path } = exchange.request;
      const after = { ...redacted, request: { ...redacted.request, path } };
      return exchangeText(after) === exchangeText(exchange) ? exchange : after;
    });
    if (!check && clean.some((exchange, i) => exchange !== exchanges[i]))
      await writeExchanges(join(root, name), clean);
    all.push(...found.values());
  }
  return all;
}
