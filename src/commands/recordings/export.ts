import type { CommandModule } from 'yargs';
import { withDatabase } from '../../app/open-database.ts';
import type { StoredBody } from '../../model/exchange.ts';
import { bodyBytes } from '../../recordings/body.ts';
import { CREATOR, NO_ORIGIN } from '../../recordings/har/har.ts';
import { type BodyToExport, harEntryOf } from '../../recordings/har/to-har.ts';
import { redactExchange } from '../../recordings/redact/redact.ts';
import { type Redaction, redactionOf } from '../../recordings/redact/redaction.ts';
import { amount } from '../../reporters/wording.ts';
import { resolveConfig } from '../../settings/config.ts';
import { parseTarget } from '../../upstreams/target.ts';
import { version } from '../../version.ts';
import { flagsOf, RECORDINGS, REDACTION, takesText, withSettings } from '../options.ts';
import { type Output, say, standardOutput, writeFileWhole } from '../output.ts';
import { chosenIn, type Selection, selectionOf, type Where, withSelection } from './selection.ts';

/** As the builder has yargs read them. */
interface Args {
  name: string;
  output?: string;
}

export const exportRecording: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, [...RECORDINGS, 'target', ...REDACTION]))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .options({
        output: takesText('File to write; else standard output', { alias: 'o' }),
      })
      .example('$0 recordings export checkout -o checkout.har', "for a browser's developer tools")
      .example(
        '$0 recordings export checkout --target https://staging.example.com',
        'with the URLs of a service',
      ),
  handler: async (argv) => {
    const { config, origins } = await resolveConfig(flagsOf(argv));
    const { name, output } = argv as unknown as Args;
    // What a proxy is configured for is not what these commands are to be sent to, unless a flag says so here.
    const target = origins.target === 'flag' ? parseTarget(config.target as string) : undefined;
    const args = {
      folder: config.recordings,
      name,
      selection: selectionOf(argv),
      base: target ? target.origin + target.path : NO_ORIGIN,
      redaction: redactionOf(config),
      version: version(),
    };
    await withDatabase(config, async (database) => {
      if (output === undefined) return runExport({ ...args, database }, standardOutput());
      const parts: string[] = [];
      const count = await runExport({ ...args, database }, { write: async (text) => parts.push(text) > 0 });
      await writeFileWhole(output, parts);
      return say(`${amount(count, 'exchange')} written to ${output}`);
    });
  },
};

export interface ExportArgs extends Where {
  selection: Selection;
  /** What URLs begin with. */
  base: string;
  redaction: Redaction;
  /** Of this program. */
  version: string;
}

/** Writes a recording as an HTTP archive, redacted, one exchange after the other. @returns how many */
export async function runExport(args: ExportArgs, output: Output): Promise<number> {
  const { selection, base, redaction, version } = args;
  const creator = JSON.stringify({ name: CREATOR, version });
  let before = `{ "log": { "version": "1.2", "creator": ${creator}, "entries": [\n`;
  let count = 0;
  for await (const one of chosenIn(args, selection)) {
    const exchange = redactExchange(one.exchange, redaction);
    const [request, response] = [bytesOf(exchange.request.body), bytesOf(exchange.response.body)];
    const entry = harEntryOf({ exchange, request, response }, base);
    count++;
    if (!(await output.write(before + JSON.stringify(entry, null, 2)))) return count;
    before = ',\n';
  }
  await output.write(`${count > 0 ? '\n' : before}] } }\n`);
  return count;
}

function bytesOf(body: StoredBody | undefined): BodyToExport {
  return body === undefined || 'omitted' in body ? body : bodyBytes(body);
}
