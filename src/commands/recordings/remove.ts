import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { CommandModule } from 'yargs';
import { withDatabase } from '../../app/open-database.ts';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Database } from '../../postgres/database.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import { type Runs, readRuns } from '../../recordings/runs.ts';
import { ExchangeFile, type Place, readExchanges } from '../../recordings/store/exchange-file.ts';
import { changedAt, sizeOf, walk } from '../../recordings/store/folder-tree.ts';
import { HIDDEN, LOCK } from '../../recordings/store/hidden-folder.ts';
import { takeLock } from '../../recordings/store/lock.ts';
import { openStore } from '../../recordings/store/open-store.ts';
import { amount } from '../../reporters/wording.ts';
import { printable } from '../../server/printable.ts';
import { type Config, resolveConfig } from '../../settings/config.ts';
import { readValue } from '../../settings/values.ts';
import { flagsOf, isOn, RECORDINGS, takesText, withSettings } from '../options.ts';
import {
  chooser,
  isSelecting,
  nothingSelected,
  type Selection,
  selectionOf,
  wildcard,
  withSelection,
} from './selection.ts';
import { sizeText } from './units.ts';
import { workOnFiles } from './work-on-files.ts';

/** As the builder has yargs read them. */
interface Args {
  name: string;
  unused: boolean;
  olderThan?: string;
  yes: boolean;
}

export const remove: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, RECORDINGS))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .options({
        unused: isOn('Only what no run has asked for since the recording changed'),
        'older-than': takesText('Only what was recorded longer ago: 30d'),
        yes: isOn('Do not ask', { alias: 'y' }),
      })
      .example('$0 recordings remove checkout', 'all of it')
      .example('$0 recordings remove checkout --unused --older-than 30d', 'what is not needed any more')
      .example("$0 recordings remove checkout --method DELETE --path '/api/*' --yes", 'in a script'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { name, unused, olderThan, yes } = argv as unknown as Args;
    const ageOf = (text: string) => readValue('maxAge', text, '--older-than') as number;
    const before = olderThan === undefined ? undefined : Date.now() - ageOf(olderThan);
    const args = { folder: config.recordings, name, selection: selectionOf(argv), unused, before };
    await withDatabase(config, async (database) => {
      const place = database ? `${database.name}/${name}` : join(args.folder, name);
      const shown = { unused, place };
      const sure = async (removal: Removal) => yes || (await confirm(removal, shown));
      const remove = () => (database ? removeStored(database, args, config, sure) : runRemove(args, sure));
      process.stdout.write(removedText(await remove(), shown));
    });
  },
};

export interface RemoveArgs {
  /** That of all recordings. */
  folder: string;
  name: string;
  selection: Selection;
  /** Only what no run has asked for since the recording changed. */
  unused: boolean;
  /** Only what was recorded before this time, in milliseconds since the epoch. */
  before?: number | undefined;
}

export interface Removal {
  /** Of a part of the recording, which holds so many in all; absent where all of it goes. */
  exchanges?: number;
  inAll?: number;
  files: number;
  /** Bytes of these files. Of paths of the database it is not known. */
  size?: number | undefined;
}

interface Removed extends Removal {
  /** What stays, because this tool did not make it: locations in the recording's folder. */
  others: string[];
}

type Confirm = (removal: Removal) => Promise<boolean>;

/**
 * Removes a recording, or some exchanges of it, while no process records into it.
 *
 * @param confirm asked before anything is removed
 * @returns undefined where nothing was removed
 * @throws PatchgateError `bad-usage`, `recording-in-use`, `cannot-write`
 */
export async function runRemove(args: RemoveArgs, confirm: Confirm): Promise<Removed | undefined> {
  const root = await findRecording(args.folder, args.name);
  try {
    return await (isPartial(args) ? removePart(root, args, confirm) : removeAll(root, confirm));
  } finally {
    await removeEmpty(root, root);
  }
}

/** The same in the database. */
async function removeStored(
  database: Database,
  args: RemoveArgs,
  config: Config,
  confirm: Confirm,
): Promise<Removed | undefined> {
  if (args.unused)
    throw new PatchgateError('bad-usage', '--unused: the database does not know what runs have asked for', {
      hint: 'remove by --older-than, --path, --method, --grep or --session',
    });
  const { emptyPath, findPaths } = await import('../../postgres/stored-paths.ts');
  const paths = await findPaths(database, args.name);
  const inAll = paths.reduce((sum, { exchanges }) => sum + exchanges, 0);
  if (isPartial(args)) {
    const { path = '*', method } = args.selection;
    const pattern = wildcard(path);
    const concerned = paths.filter(
      (one) => pattern.test(one.path) && (method ?? one.method).toUpperCase() === one.method.toUpperCase(),
    );
    if (concerned.length === 0) throw nothingSelected(args.name);
    const counted = <T extends Removal>(removal: T) => ({ ...removal, inAll, size: undefined });
    const removed = await workOnFiles(database, concerned, config, (folder) =>
      runRemove({ ...args, folder }, (removal) => confirm(counted(removal))),
    );
    return removed && counted(removed);
  }
  const removal = { exchanges: inAll, inAll, files: paths.length };
  if (!(await confirm(removal))) return undefined;
  for (const path of paths) await emptyPath(database, path);
  return { ...removal, others: [] };
}

function isPartial({ unused, before, selection }: RemoveArgs): boolean {
  return unused || before !== undefined || isSelecting(selection);
}

/** A journal or file that is broken is no reason not to remove it. */
async function removeAll(root: string, confirm: Confirm): Promise<Removed | undefined> {
  const lock = takeLock(root, join(root, HIDDEN, LOCK));
  const folders = new Set([join(root, HIDDEN)]);
  try {
    // The lock goes last.
    const found = [...walk(root)].filter(({ location }) => location !== `${HIDDEN}/${LOCK}`);
    const recorded = found.filter(({ kind }) => kind === 'exchanges' || kind === 'body');
    const size = recorded.reduce((sum, { file }) => sum + sizeOf(file), 0);
    if (!(await confirm({ files: recorded.length, size }))) return undefined;
    for (const { file, kind } of found) {
      if (kind !== 'other') await rm(file, { force: true }).catch(cannotRemove(file));
      folders.add(dirname(file));
    }
    const others = found.filter(({ kind }) => kind === 'other').map(({ location }) => location);
    return { files: recorded.length, size, others };
  } finally {
    lock.release();
    for (const folder of folders) await removeEmpty(folder, root);
  }
}

async function removePart(root: string, args: RemoveArgs, confirm: Confirm): Promise<Removed | undefined> {
  const { folder, name, before = Number.POSITIVE_INFINITY } = args;
  const isChosen = chooser(args.selection);
  // What waits in the journal comes into the files, and no other process writes.
  const store = await openStore(folder, name, { writable: true });
  try {
    const isUnused = args.unused ? await unusedIn(root, name) : () => true;
    const changes: { file: string; place: Place; kept: Exchange[] }[] = [];
    const removal = { exchanges: 0, inAll: 0, files: 0, size: 0 };
    let chosen = 0;
    for (const { kind, file, place } of walk(root)) {
      if (kind !== 'exchanges') continue;
      const exchanges = readExchanges(file, place) ?? [];
      const kept = exchanges.filter((exchange, index) => {
        if (!isChosen(exchange)) return true;
        chosen++;
        return Date.parse(exchange.meta.recordedAt) >= before || !isUnused(exchange, index);
      });
      const count = exchanges.length - kept.length;
      removal.inAll += exchanges.length;
      if (count === 0) continue;
      removal.exchanges += count;
      removal.files++;
      // Of a file that keeps some, what is left may be shorter.
      removal.size += Math.round((sizeOf(file) * count) / exchanges.length);
      changes.push({ file, place: (exchanges[0] as Exchange).request, kept });
    }
    if (chosen === 0 && isSelecting(args.selection)) throw nothingSelected(name);
    if (removal.exchanges === 0 || !(await confirm(removal))) return undefined;
    for (const { file, place, kept } of changes) {
      // A file is rewritten whole or not at all, and bodies that none names any more go, too.
      const written = new ExchangeFile(file, place, true);
      if (kept.length > 0) await written.replace(kept);
      else written.remove();
    }
    for (const { file } of changes) await removeEmpty(dirname(file), root);
    return { ...removal, others: [] };
  } finally {
    await store.close();
  }
}

/** @throws PatchgateError `bad-usage` where nothing is known of a run, or the last one failed */
async function unusedIn(root: string, name: string): Promise<Runs['isUnused']> {
  const runs = await readRuns(root, changedAt(root));
  const refused = (why: string) =>
    new PatchgateError('bad-usage', `--unused: ${why}`, {
      hint: `run all that uses it, to its end: patchgate exec --recording ${name} -- npm test`,
    });
  if (runs === undefined || runs.isCut)
    throw refused(`no replay of ${JSON.stringify(name)} has been logged since it changed`);
  if (runs.hasFailed)
    throw refused(`the last run of ${name} failed, so it may not have asked for all that is needed`);
  return runs.isUnused;
}

function cannotRemove(file: string) {
  return (error: unknown) => {
    const hint = 'correct the permissions of its folder';
    const message = `cannot remove ${file}: ${messageOf(error)}`;
    throw new PatchgateError('cannot-write', message, { hint, cause: error });
  };
}

/** With the folders above it that are empty then, up to the recording's own. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let one = folder; one.length >= root.length; one = dirname(one)) {
    try {
      await rmdir(one);
    } catch (error) {
      // Not empty, or gone already.
      if (systemCode(error) !== 'ENOENT') return;
    }
  }
}

interface Shown {
  unused: boolean;
  /** Of the recording. */
  place: string;
}

/** Asks on the terminal whether something is to be removed. @throws PatchgateError `bad-usage` where there is none */
async function confirm(removal: Removal, args: Shown): Promise<boolean> {
  const why = args.unused ? ', for which no run has asked since the recording changed' : '';
  const what = whatText(removal, args) + why;
  if (!process.stdin.isTTY)
    throw new PatchgateError('bad-usage', 'not a terminal: pass --yes to confirm', {
      hint: `it would remove ${what}`,
    });
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y(?:es)?\s*$/i.test(await terminal.question(`remove ${what}? [y/N] `));
  } finally {
    terminal.close();
  }
}

/** What was removed, for people. */
function removedText(removed: Removed | undefined, args: Shown): string {
  if (removed === undefined) return 'nothing was removed\n';
  const lines = [`removed ${whatText(removed, args)}`];
  if (removed.others.length > 0) {
    lines.push('these files stay, which patchgate did not make:');
    lines.push(...removed.others.slice(0, 20).map((location) => `  ${printable(location)}`));
    if (removed.others.length > 20) lines.push(`  and ${removed.others.length - 20} more`);
  }
  return `${lines.join('\n')}\n`;
}

/** `3 of 5 exchanges of recordings/checkout (2 files, 2.1 KiB)` */
function whatText({ exchanges, inAll, files, size }: Removal, { place }: Shown): string {
  const total = size === undefined ? amount(files, 'path') : `${amount(files, 'file')}, ${sizeText(size)}`;
  return exchanges === undefined
    ? `all of ${place} (${total})`
    : `${exchanges} of ${amount(inAll ?? exchanges, 'exchange')} of ${place} (${total})`;
}
