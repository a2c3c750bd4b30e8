import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommandModule } from 'yargs';
import { withDatabase } from '../../app/open-database.ts';
import { rulesOf } from '../../app/open-recording.ts';
import { PatchgateError } from '../../errors.ts';
import { header, splitTarget } from '../../http/http.ts';
import { RECORD_LIMIT } from '../../recordings/body.ts';
import { type FoundExchange, seenOf } from '../../recordings/har/from-har.ts';
import type { HarEntry } from '../../recordings/har/har.ts';
import type { TimedEntry } from '../../recordings/har/read-har.ts';
import type { MatchRules } from '../../recordings/match-rules.ts';
import { type PlainExchange, plainExchangeOf } from '../../recordings/plain-exchange.ts';
import { SecretNotices } from '../../recordings/redact/notices.ts';
import { redactText } from '../../recordings/redact/redact.ts';
import type { RecordingStore } from '../../recordings/store.ts';
import { openStore } from '../../recordings/store.ts';
import { amount } from '../../reporters/wording.ts';
import { type Config, resolveConfig } from '../../settings/config.ts';
import {
  flagsOf,
  isOn,
  MATCHING,
  RECORDING,
  RECORDINGS,
  REDACTION,
  takesText,
  withSettings,
} from '../options.ts';
import { say, standardOutput } from '../output.ts';
import { attachedTo, readArchive } from './read-archive.ts';
import { wildcard } from './selection.ts';
import { workOnFiles } from './work-on-files.ts';

/** As the builder has yargs read them. */
interface Args {
  files: string[];
  only?: string[];
  method?: string;
  replace: boolean;
}

export const importRecording: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...RECORDINGS, 'recording', ...RECORDING, ...MATCHING, ...REDACTION])
      .positional('files', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'HAR files; - is standard input',
      })
      .options({
        only: {
          type: 'string',
          array: true,
          nargs: 1,
          describe: 'Only entries whose URL (or path, with a slash in front) begins so; * is any characters',
        },
        method: takesText('Only entries of this method'),
        replace: isOn('Drop what was recorded for the same requests before; otherwise it is added to'),
      })
      .example('$0 recordings import session.har --recording checkout', 'what a browser saved')
      .example(
        '$0 recordings import session.har --recording checkout --only https://staging.example.com/api/',
        'nothing of other hosts',
      ),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { files, only = [], method, replace } = argv as unknown as Args;
    // yargs loses a lone - among the positionals. What can be read only once comes first.
    if (process.argv.includes('-')) files.unshift('-');
    const args = {
      ...config,
      files,
      folder: config.recordings,
      name: config.recording,
      only,
      method,
      replace,
      rules: rulesOf(config),
      notice: say,
    };
    await withDatabase(config, async (database) => {
      const imported = database
        ? await workOnFiles(database, [args.name], config, (folder) => runImport({ ...args, folder }))
        : await runImport(args);
      const place = database ? `${database.name}/${args.name}` : join(args.folder, args.name);
      await standardOutput().write(importedText(imported, place));
    });
  },
};

export interface ImportArgs {
  /** HTTP archives, in the order in which they are to be recorded. */
  files: readonly string[];
  /** That of all recordings. */
  folder: string;
  name: string;
  /** URLs, or paths where they begin with a slash, of which one must be how an entry's begins; `*` for any characters. */
  only: readonly string[];
  method?: string | undefined;
  /** The first entry of a request replaces what was recorded for it before. */
  replace: boolean;
  durability: Config['durability'];
  rules: MatchRules;
  /** Takes one notice for people. */
  notice(text: string): void;
}

/**
 * Records what HTTP archives hold, redacted, in the order in which it began.
 *
 * @throws PatchgateError `bad-input` where an archive is broken, before anything is recorded, or where nothing in any of
 *  them can be recorded
 */
export async function runImport(args: ImportArgs): Promise<Imported> {
  const { files, folder, name, replace, rules, notice } = args;
  // All of them are looked at before the first one is recorded; one at a time is in memory.
  for (const file of files.slice(1)) await readArchive(file);
  const unwanted = whyUnwanted(args);
  const skipped = new Map<string, number>();
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  const leaveOut = (why: string) => {
    notice(`left out: ${redactText(why, rules.redaction)}`);
    skip('not as HAR 1.2 says');
  };
  const detected = new SecretNotices(notice);
  const origins = new Set<string>();
  let store: RecordingStore | undefined;
  let [exchanges, entries] = [0, 0];
  const take = async (file: string, entry: TimedEntry, isOwn: boolean) => {
    const reason = unwanted(entry);
    if (reason !== undefined) return skip(reason);
    const attached = await attachedTo(file, entry).catch((error: unknown) => error);
    if (attached instanceof PatchgateError && attached.code === 'bad-input')
      return leaveOut(attached.message);
    if (attached instanceof Error) throw attached;
    const found = seenOf(entry, { isOwn, attached: attached as Awaited<ReturnType<typeof attachedTo>> });
    if ('skipped' in found) return skip(found.skipped);
    store ??= await openStore(folder, name, { ...args, writable: true, replaces: replace, onNotice: notice });
    store.append(plainOf(found, args, detected));
    // Its line is in the journal then.
    await nextTurn();
    if (store.trouble) throw store.trouble;
    origins.add(new URL(entry.request.url).origin);
    exchanges++;
  };
  try {
    for (const file of files) {
      const archive = await readArchive(file);
      entries += archive.entries.length + archive.odd.length;
      for (const one of archive.odd) leaveOut(one);
      for (const entry of archive.entries) await take(file, entry, archive.isOwn);
    }
  } finally {
    await store?.close();
  }
  if (exchanges === 0) throw nothingIn(args, entries, skipped);
  return { exchanges, entries, skipped, origins: [...origins].sort() };
}

function nothingIn(
  { files, only }: ImportArgs,
  entries: number,
  skipped: Imported['skipped'],
): PatchgateError {
  const why = entries === 0 ? 'it has no entries' : `skipped: ${skippedText(skipped)}`;
  return new PatchgateError('bad-input', `nothing of ${files.join(', ')} was imported: ${why}`, {
    hint:
      only.length > 0
        ? '--only begins as the URLs do (https://staging.example.com/api/), or with the path: /api/'
        : 'export it with bodies, and without what was only in the cache',
  });
}

function plainOf(
  { seen, omitted }: FoundExchange,
  { rules }: ImportArgs,
  detected: SecretNotices,
): PlainExchange {
  const exchange = plainExchangeOf(seen, rules.redaction, rules.headers, (found) =>
    detected.tell(found, seen.request, rules.redaction),
  );
  for (const side of ['request', 'response'] as const) {
    const message = exchange[side];
    const size = omitted[side] ?? message.body.length;
    if (omitted[side] === undefined && size <= RECORD_LIMIT) continue;
    message.body = NO_BODY;
    message.omitted = size;
    // It may be why the body was not kept.
    keepHeader(message, seen[side].headers, 'content-encoding');
  }
  return exchange;
}

function keepHeader(message: { headers: readonly string[] }, raw: readonly string[], name: string): void {
  const value = header(raw, name);
  if (value !== undefined && header(message.headers, name) === undefined)
    message.headers = [...message.headers, name, value];
}

const NO_BODY = Buffer.alloc(0);

/** Why an entry is not wanted; undefined where it is. */
function whyUnwanted({ only, method }: ImportArgs): (entry: HarEntry) => string | undefined {
  const patterns = only.map((text) => ({ isPath: text.startsWith('/'), pattern: wildcard(`${text}*`) }));
  return ({ request }) => {
    if (method !== undefined && request.method.toUpperCase() !== method.toUpperCase())
      return 'another method';
    if (patterns.length === 0) return undefined;
    const { path } = splitTarget(request.url);
    const isWanted = patterns.some(({ isPath, pattern }) => pattern.test(isPath ? path : request.url));
    return isWanted ? undefined : 'not under --only';
  };
}

/** What an import has done. */
interface Imported {
  exchanges: number;
  entries: number;
  /** How many entries for each reason. */
  skipped: Map<string, number>;
  /** Of what was imported, sorted. */
  origins: string[];
}

/** The same for people. @param place of the recording */
export function importedText(imported: Imported, place: string): string {
  const { exchanges, entries, skipped, origins } = imported;
  const lines = [`imported ${amount(exchanges, 'exchange')} of ${entries} entries into ${place}`];
  if (skipped.size > 0) lines.push(`skipped: ${skippedText(skipped)}`);
  if (origins.length > 1) {
    const some = origins.slice(0, 5).join(', ') + (origins.length > 5 ? ', …' : '');
    lines.push(`they are of ${origins.length} hosts, which a recording does not tell apart: ${some}`);
    lines.push(`  --only ${origins[0]}/ takes those of one host`);
  }
  return `${lines.join('\n')}\n`;
}

/** `3 WebSocket, 2 no response` */
function skippedText(skipped: ReadonlyMap<string, number>): string {
  return [...skipped]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}
