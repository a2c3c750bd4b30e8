import { isDeepStrictEqual } from 'node:util';
import type { CommandModule } from 'yargs';
import type { JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { compareJson } from '../../recordings/compare-json.ts';
import { redactExchange } from '../../recordings/plain-exchange.ts';
import { redactText } from '../../recordings/redact/redact.ts';
import type { Redaction } from '../../recordings/redact/redaction.ts';
import { amount, visible } from '../../reporters/wording.ts';
import { resolveConfig } from '../../settings/config.ts';
import { flagsOf, isOn, RECORDINGS, REDACTION, withSettings } from '../options.ts';
import { standardOutput } from '../output.ts';
import { type Recording, withRecording, withRecordings } from './recordings.ts';

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
    const { names: given = [], check } = argv as unknown as Args;
    await withRecordings(config, async (recordings) => {
      const names = given.length > 0 ? given : await recordings.names();
      const output = standardOutput();
      const failures: unknown[] = [];
      let found = 0;
      for (const name of names) {
        try {
          const lines = await withRecording(recordings, name, check ? 'read' : 'write', (recording) =>
            scrubbed(recording, recordings.rules.redaction, check),
          );
          found += lines.length;
          await output.write(lines.map((line) => `${visible(line)}\n`).join(''));
        } catch (error) {
          // One that is broken keeps no other from its turn.
          failures.push(error);
        }
      }
      const where = `in ${amount(names.length - failures.length, 'recording')}`;
      const places = amount(found, 'place');
      if (failures.length < names.length || names.length === 0)
        await output.write(
          found === 0
            ? `no secrets ${where}\n`
            : check
              ? `secrets at ${places} ${where}\n  patchgate recordings scrub redacts them\n`
              : `redacted ${places} ${where}\n`,
        );
      if (failures.length > 0) throw failures[0];
      if (check && found > 0) process.exitCode = 1;
    });
  },
};

/**
 * Redacts a recording as if it were recorded now. Doing it again changes nothing.
 *
 * @param check changes nothing
 * @returns what was found where, never the values
 */
async function scrubbed(recording: Recording, redaction: Redaction, check: boolean): Promise<string[]> {
  const found = new Set<string>();
  for (const place of recording.places()) {
    const before = await recording.read(place);
    const after = before.map((exchange) => redactExchange(exchange, redaction));
    compareJson(before as unknown as JsonValue, after as unknown as JsonValue, (tokens) => {
      // A name may be a secret itself.
      found.add(`${recording.fileOf(place)}: ${redactText(`/exchanges${pointerOf(tokens)}`, redaction)}`);
      return true;
    });
    if (check || isDeepStrictEqual(after, before)) continue;
    const path = after[0]?.request.path ?? place.path;
    if (path === place.path) {
      await recording.write(place, after);
      continue;
    }
    // A path is the name of a file.
    const moved = { method: place.method, path };
    await recording.write(moved, [...(await recording.read(moved)), ...after]);
    await recording.write(place, []);
  }
  return [...found];
}
