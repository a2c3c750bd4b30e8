import type { CommandModule } from 'yargs';
import { PatchgateError } from '../../errors.ts';
import { splitTarget } from '../../http/http.ts';
import type { Exchange } from '../../model/exchange.ts';
import { RECORD_LIMIT } from '../../recordings/body.ts';
import { seenOf } from '../../recordings/har/from-har.ts';
import type { TimedEntry } from '../../recordings/har/read-har.ts';
import { readHar } from '../../recordings/har/read-har.ts';
import type { MatchRules } from '../../recordings/match-rules.ts';
import { merge } from '../../recordings/merge.ts';
import { keysBy } from '../../recordings/merge-files.ts';
import { plainExchangeOf, toStoredExchange } from '../../recordings/plain-exchange.ts';
import { redactText } from '../../recordings/redact/redact.ts';
import { amount } from '../../reporters/wording.ts';
import { resolveConfig } from '../../settings/config.ts';
import { attachedTo, nameOf, readBytes, withStdin } from '../input.ts';
import { flagsOf, MATCHING, RECORDINGS, REDACTION, withSettings } from '../options.ts';
import { say, standardOutput } from '../output.ts';
import { wildcard, withRecording, withRecordings } from './recordings.ts';

export const importRecording: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...RECORDINGS, 'recording', ...MATCHING, ...REDACTION])
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
      })
      .example('$0 recordings import session.har --recording checkout', 'what a browser saved')
      .example(
        '$0 recordings import session.har --recording checkout --only https://staging.example.com/api/',
        'nothing of other hosts',
      ),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { files, only = [] } = argv as unknown as { files: string[]; only?: string[] };
    const imported = await withRecordings(config, async (recordings) => {
      const { rules } = recordings;
      const found = await exchangesIn(withStdin(files), only, rules);
      if (found.exchanges.length === 0) throw nothingIn(found, only);
      await withRecording(recordings, config.recording, 'create', async (recording) => {
        for (const own of byPlace(found.exchanges)) {
          const { request: place } = own[0] as Exchange;
          const merged = merge(await recording.read(place), own, 'append', {}, keysBy(rules));
          await recording.write(place, merged.exchanges);
        }
      });
      return textOf(found, recordings.placeOf(config.recording));
    });
    await standardOutput().write(imported);
  },
};

interface Found {
  /** Redacted, in the order in which they began. */
  exchanges: Exchange[];
  entries: number;
  /** How many entries for each reason. */
  skipped: Map<string, number>;
  origins: Set<string>;
}

/** @throws PatchgateError `bad-input` where an archive is broken */
async function exchangesIn(
  files: readonly string[],
  only: readonly string[],
  rules: MatchRules,
): Promise<Found> {
  const found: Found = { exchanges: [], entries: 0, skipped: new Map(), origins: new Set() };
  const skip = (reason: string) => found.skipped.set(reason, (found.skipped.get(reason) ?? 0) + 1);
  const patterns = only.map((text) => ({ isPath: text.startsWith('/'), pattern: wildcard(`${text}*`) }));
  const isWanted = ({ request: { url } }: TimedEntry) =>
    only.length === 0 ||
    patterns.some(({ isPath, pattern }) => pattern.test(isPath ? splitTarget(url).path : url));
  for (const file of files) {
    const { entries, isOwn, odd } = readHar(await readBytes(file), nameOf(file));
    found.entries += entries.length + odd.length;
    for (const why of odd) {
      say(`left out: ${redactText(why, rules.redaction)}`);
      skip('not as HAR 1.2 says');
    }
    for (const entry of entries) {
      if (!isWanted(entry)) {
        skip('not under --only');
        continue;
      }
      const seen = seenOf(entry, { isOwn, attached: attachedTo(file, entry) });
      if ('skipped' in seen) {
        skip(seen.skipped);
        continue;
      }
      found.exchanges.push(storedOf(seen, rules));
      found.origins.add(new URL(entry.request.url).origin);
    }
  }
  return found;
}

function storedOf(
  { seen, omitted }: Exclude<ReturnType<typeof seenOf>, { skipped: string }>,
  rules: MatchRules,
): Exchange {
  const plain = plainExchangeOf(seen, rules.redaction, rules.headers);
  for (const side of ['request', 'response'] as const) {
    const size = omitted[side] ?? plain[side].body.length;
    if (omitted[side] === undefined && size <= RECORD_LIMIT) continue;
    plain[side].body = Buffer.alloc(0);
    plain[side].omitted = size;
  }
  return toStoredExchange(plain);
}

function byPlace(exchanges: readonly Exchange[]): Iterable<Exchange[]> {
  const places = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    const key = `${exchange.request.method} ${exchange.request.path}`;
    const own = places.get(key) ?? [];
    places.set(key, own);
    own.push(exchange);
  }
  return places.values();
}

function nothingIn({ entries, skipped }: Found, only: readonly string[]): PatchgateError {
  const why = entries === 0 ? 'there are no entries' : `skipped: ${skippedText(skipped)}`;
  return new PatchgateError('bad-input', `nothing was imported: ${why}`, {
    hint:
      only.length > 0
        ? '--only begins as the URLs do (https://staging.example.com/api/), or with the path: /api/'
        : 'export it with bodies, and without what was only in the cache',
  });
}

function textOf({ exchanges, entries, skipped, origins }: Found, place: string): string {
  const lines = [`imported ${amount(exchanges.length, 'exchange')} of ${entries} entries into ${place}`];
  if (skipped.size > 0) lines.push(`skipped: ${skippedText(skipped)}`);
  if (origins.size > 1) {
    const some = [...origins].slice(0, 5).join(', ') + (origins.size > 5 ? ', …' : '');
    lines.push(`they are of ${origins.size} hosts, which a recording does not tell apart: ${some}`);
    lines.push('  --only takes those of one host');
  }
  return `${lines.join('\n')}\n`;
}

/** `3 WebSocket, 2 no response` */
function skippedText(skipped: ReadonlyMap<string, number>): string {
  const all = [...skipped].sort(([, a], [, b]) => b - a);
  return all.map(([reason, count]) => `${count} ${reason}`).join(', ');
}
