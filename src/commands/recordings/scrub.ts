import type { CommandModule } from 'yargs';
import { PatchgateError } from '../../errors.ts';
import type { JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import type { Exchange } from '../../model/exchange.ts';
import { compareJson, type MatchRules } from '../../recordings/match.ts';
import { merge } from '../../recordings/merge.ts';
import { byPlace, locationOf, placeKey } from '../../recordings/names.ts';
import { redactExchange } from '../../recordings/plain-exchange.ts';
import { redactText } from '../../recordings/redact/redact.ts';
import { amount, visible } from '../../reporters/wording.ts';
import { isOn, RECORDINGS, withSettings } from '../options.ts';
import { standardOutput } from '../output.ts';
import { type Recording, withRecording, withRecordings } from './recordings.ts';

export const scrub: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...RECORDINGS, 'redact'])
      .positional('names', {
        type: 'string',
        array: true,
        describe: 'Names of recordings; all if none is given',
      })
      .option('check', isOn('Change nothing; exit with 1 if something is found'))
      .example('$0 recordings scrub checkout', 'put placeholders in the place of secrets')
      .example('$0 recordings scrub --check', 'in CI: is there a secret in any recording?'),
  handler: (argv) => {
    const { names: given = [], check } = argv as unknown as { names?: string[]; check: boolean };
    return withRecordings(argv, async (recordings) => {
      const { where, rules, names: all } = recordings;
      const names = given.length > 0 ? given : await all();
      if (names.length === 0)
        throw new PatchgateError('bad-usage', `there are no recordings in ${where}`, {
          hint: 'say where they are: --recordings FOLDER',
        });
      const output = standardOutput();
      let [found, concerned] = [0, 0];
      for (const name of names) {
        const places = await withRecording(recordings, name, check ? 'read' : 'write', (recording) =>
          scrubbed(recording, rules, check),
        );
        found += places.length;
        concerned += Math.min(places.length, 1);
        await output.write(places.map((one) => `${visible(`${where}/${name}/${one}`)}\n`).join(''));
      }
      const total = `${amount(names.length, 'recording')}\n`;
      if (found === 0) return `no secrets in ${total}`;
      if (check) process.exitCode = 1;
      return `${check ? 'secrets at' : 'redacted'} ${amount(found, 'place')} in ${concerned} of ${total}`;
    });
  },
};

/**
 * Redacts a recording as if it were recorded now. Doing it again changes nothing.
 *
 * @param check changes nothing
 * @returns what was found where, never the values
 */
async function scrubbed(recording: Recording, rules: MatchRules, check: boolean): Promise<string[]> {
  const { redaction } = rules;
  const found = new Set<string>();
  for (const place of recording.places()) {
    const before = await recording.read(place);
    const after = before.map((exchange) => redactExchange(exchange, redaction));
    const already = found.size;
    compareJson(before as unknown as JsonValue, after as unknown as JsonValue, (tokens) => {
      // A name may be a secret itself.
      const pointer = redactText(`/exchanges${pointerOf(tokens)}`, redaction);
      found.add(`${redactText(locationOf(place.method, place.path), redaction)}: ${pointer}`);
      return true;
    });
    if (check || found.size === already) continue;
    // A path is the name of a file, and what is secret in it each exchange says for itself.
    const { [placeKey(place)]: own = [], ...moved } = Object.fromEntries(byPlace(after));
    for (const group of Object.values(moved)) {
      const { request: to } = group[0] as Exchange;
      const there = await recording.read(to);
      await recording.write(to, merge(there, group, 'append', {}, rules).exchanges);
    }
    await recording.write(place, own);
  }
  return [...found];
}
