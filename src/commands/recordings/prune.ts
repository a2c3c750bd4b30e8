import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { CommandModule } from 'yargs';
import { withDatabase } from '../../app/open-database.ts';
import { PatchgateError } from '../../errors.ts';
import type { Exchange } from '../../model/exchange.ts';
import { readExchanges, writeExchanges } from '../../recordings/files.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import { walk } from '../../recordings/store/folder-tree.ts';
import { openStore } from '../../recordings/store.ts';
import { amount } from '../../reporters/wording.ts';
import { resolveConfig } from '../../settings/config.ts';
import { DURATIONS, lacksUnit, readAmount } from '../../settings/read-amount.ts';
import { flagsOf, isOn, RECORDINGS, takesText, withSettings } from '../options.ts';
import { standardOutput } from '../output.ts';
import { nothingSelected, wildcard } from './selection.ts';
import { workOnFiles } from './work-on-files.ts';

/** As the builder has yargs read them. */
interface Args {
  name: string;
  path?: string;
  method?: string;
  olderThan?: string;
  yes: boolean;
}

export const prune: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, RECORDINGS)
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .options({
        path: takesText('Only of this path; * is any characters: /api/*'),
        method: takesText('Only of this method'),
        'older-than': takesText('Only what was recorded longer ago: 30d'),
        yes: isOn('Do not ask', { alias: 'y' }),
      })
      .example('$0 recordings prune checkout --older-than 30d', 'what is old')
      .example("$0 recordings prune checkout --method DELETE --path '/api/*' --yes", 'in a script'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { name, path, method, olderThan, yes } = argv as unknown as Args;
    const before = olderThan === undefined ? undefined : Date.now() - ageOf(olderThan);
    const args = { folder: config.recordings, name, path, method, before };
    requireSelection(args);
    const pruned = await withDatabase(config, async (database) => {
      const place = database ? `${database.name}/${name}` : join(args.folder, name);
      const confirm = async (removal: Removal) => yes || ask(removal, place);
      if (!database) return textOf(await runPrune(args, confirm), place);
      const { requireStored } = await import('../../postgres/frames.ts');
      await requireStored(database, name);
      return workOnFiles(database, [name], config, async (folder) =>
        textOf(await runPrune({ ...args, folder }, confirm), place),
      );
    });
    await standardOutput().write(pruned);
  },
};

/** @returns milliseconds @throws PatchgateError `bad-usage` */
function ageOf(text: string): number {
  const age = lacksUnit(text) ? undefined : readAmount(text, DURATIONS);
  if (age !== undefined) return age;
  throw new PatchgateError('bad-usage', `invalid value ${JSON.stringify(text)} for --older-than`, {
    hint: 'it takes a duration: 12h, 30d',
  });
}

export interface PruneArgs {
  /** That of all recordings. */
  folder: string;
  name: string;
  /** With `*` for any characters. */
  path?: string | undefined;
  method?: string | undefined;
  /** Only what was recorded before this time, in milliseconds since the epoch. */
  before?: number | undefined;
}

function requireSelection({ folder, name, path, method, before }: PruneArgs): void {
  if (path !== undefined || method !== undefined || before !== undefined) return;
  throw new PatchgateError('bad-usage', 'nothing says which exchanges are to go', {
    hint: `give --path, --method or --older-than; to remove all of it, delete ${join(folder, name)} or give --path '*'`,
  });
}

/** How many exchanges of how many go, and how many files they are in. */
export interface Removal {
  exchanges: number;
  inAll: number;
  files: number;
}

/**
 * Removes exchanges of a recording while no process records into it.
 *
 * @param confirm asked before anything is removed
 * @returns undefined where nothing was removed
 * @throws PatchgateError `bad-usage`, `recording-in-use`, `bad-recording`, `cannot-write`
 */
export async function runPrune(
  args: PruneArgs,
  confirm: (removal: Removal) => Promise<boolean>,
): Promise<Removal | undefined> {
  const { folder, name } = args;
  const root = await findRecording(folder, name);
  const goes = chooserOf(args);
  // What waits in the journal comes into the files, and no other process writes.
  const store = await openStore(folder, name, { writable: true });
  try {
    const changes: { file: string; kept: Exchange[] }[] = [];
    const removal = { exchanges: 0, inAll: 0, files: 0 };
    for (const { kind, file, place } of walk(root)) {
      if (kind !== 'exchanges') continue;
      const exchanges = readExchanges(file, place) ?? [];
      const kept = exchanges.filter((exchange) => !goes(exchange));
      removal.inAll += exchanges.length;
      if (kept.length === exchanges.length) continue;
      removal.exchanges += exchanges.length - kept.length;
      removal.files++;
      changes.push({ file, kept });
    }
    if (removal.exchanges === 0 && args.before === undefined) throw nothingSelected(name);
    if (removal.exchanges === 0 || !(await confirm(removal))) return undefined;
    // A file is rewritten whole or not at all.
    for (const { file, kept } of changes)
      await (kept.length > 0 ? writeExchanges(file, kept) : rm(file, { force: true }));
    for (const { file } of changes) await removeEmpty(dirname(file), root);
    return removal;
  } finally {
    await store.close();
    await rmdir(root).catch(() => undefined);
  }
}

function chooserOf({ path, method, before = Number.POSITIVE_INFINITY }: PruneArgs) {
  const paths = wildcard(path ?? '*');
  const wanted = method?.toUpperCase();
  return ({ request, meta }: Exchange) =>
    paths.test(request.path) &&
    (wanted === undefined || request.method.toUpperCase() === wanted) &&
    Date.parse(meta.recordedAt) < before;
}

/** With the folders above it that are empty then, below the recording's own. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let one = folder; one.length > root.length; one = dirname(one)) {
    try {
      await rmdir(one);
    } catch {
      // It is not empty.
      return;
    }
  }
}

/** Asks on the terminal. @throws PatchgateError `bad-usage` where there is none */
async function ask(removal: Removal, place: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new PatchgateError('bad-usage', 'not a terminal: pass --yes to confirm', {
      hint: `it would remove ${whatText(removal, place)}`,
    });
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y(?:es)?\s*$/i.test(await terminal.question(`remove ${whatText(removal, place)}? [y/N] `));
  } finally {
    terminal.close();
  }
}

function textOf(removed: Removal | undefined, place: string): string {
  return removed === undefined ? 'nothing was removed\n' : `removed ${whatText(removed, place)}\n`;
}

/** `3 of 5 exchanges of recordings/checkout (2 files)` */
function whatText({ exchanges, inAll, files }: Removal, place: string): string {
  return `${exchanges} of ${amount(inAll, 'exchange')} of ${place} (${amount(files, 'file')})`;
}
