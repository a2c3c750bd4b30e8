import type { CommandModule } from 'yargs';
import { messageOf, PatchgateError } from '../../errors.ts';
import { splitTarget } from '../../http/http.ts';
import type { Exchange } from '../../model/exchange.ts';
import { type HarEntry, harEntries, seenOf } from '../../recordings/har/from-har.ts';
import type { MatchRules } from '../../recordings/match.ts';
import { merge } from '../../recordings/merge.ts';
import { byPlace } from '../../recordings/names.ts';
import { plainExchangeOf, toStoredExchange } from '../../recordings/plain-exchange.ts';
import { amount } from '../../reporters/wording.ts';
import { nameOf, readBytes, withStdin } from '../input.ts';
import { MATCHING, RECORDINGS, takesText, withSettings } from '../options.ts';
import { wildcard, withRecording, withRecordings } from './recordings.ts';

export const importRecording: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...RECORDINGS, 'recording', ...MATCHING, 'redact'])
      .positional('files', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'HAR files; - is standard input',
      })
      .options({
        only: takesText('Only entries whose URL or path starts with this; * matches anything'),
      })
      .example('$0 recordings import a.har --recording shop', 'what a browser saved')
      .example('$0 recordings import a.har --only /api/', 'nothing of other paths'),
  handler: (argv) => {
    const { files, only } = argv as unknown as { files: string[]; only?: string };
    return withRecordings(argv, async (recordings, { recording: name }) => {
      const { rules, where } = recordings;
      const { exchanges, skipped } = await exchangesIn(withStdin(files), only, rules);
      const count = (why: string) => `${skipped.filter((one) => one === why).length} ${why}`;
      const left = skipped.length > 0 ? `skipped: ${[...new Set(skipped)].map(count).join(', ')}\n` : '';
      const message = `nothing was imported: ${left.trim() || 'there are no entries'}`;
      const hint = skipped.includes(OTHER)
        ? 'URL or path must start with --only'
        : 'export it anew, with bodies';
      if (exchanges.length === 0) throw new PatchgateError('bad-input', message, { hint });
      let added = 0;
      await withRecording(recordings, name, 'create', async (recording) => {
        for (const own of byPlace(exchanges).values()) {
          const { request: place } = own[0] as Exchange;
          const before = await recording.read(place);
          const merged = merge(before, own, 'append', {}, rules);
          added += merged.exchanges.length - before.length;
          await recording.write(place, merged.exchanges);
        }
      });
      const known = added < exchanges.length ? `; it had ${exchanges.length - added} of them` : '';
      return `imported ${amount(added, 'exchange')} into ${where}/${name}${known}\n${left}`;
    });
  },
};

const OTHER = 'not under --only';

/** The exchanges of archives, redacted, and for each other entry why it is skipped. @throws PatchgateError `bad-input` */
async function exchangesIn(files: readonly string[], only: string | undefined, rules: MatchRules) {
  const exchanges: Exchange[] = [];
  const skipped: string[] = [];
  const wanted = wildcard(`${only ?? ''}*`);
  const isWanted = (url: string) => wanted.test(only?.startsWith('/') ? splitTarget(url).path : url);
  for (const file of files) {
    const { entries } = harEntries(await readBytes(file), nameOf(file));
    const inTime = entries.toSorted((a, b) => Date.parse(a.startedDateTime) - Date.parse(b.startedDateTime));
    for (const entry of inTime) {
      const found = isWanted(entry.request.url) ? exchangeIn(entry, rules) : { skipped: OTHER };
      if ('skipped' in found) skipped.push(found.skipped);
      else exchanges.push(found);
    }
  }
  return { exchanges, skipped };
}

function exchangeIn(entry: HarEntry, rules: MatchRules): Exchange | { skipped: string } {
  try {
    const seen = seenOf(entry);
    if ('skipped' in seen) return seen;
    return toStoredExchange(plainExchangeOf(seen, rules));
  } catch (error) {
    return { skipped: messageOf(error) };
  }
}
