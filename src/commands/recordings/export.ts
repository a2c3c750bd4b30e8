import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { withDatabase } from '../../app/open-database.ts';
import type { Exchange, StoredBody } from '../../model/exchange.ts';
import { curlLine } from '../../recordings/curl.ts';
import { CREATOR, NO_ORIGIN } from '../../recordings/har/har.ts';
import { type BodyToExport, harEntryOf } from '../../recordings/har/to-har.ts';
import { redactExchange } from '../../recordings/redaction/redact.ts';
import { type Redaction, redactionOf } from '../../recordings/redaction/redaction.ts';
import { readBody } from '../../recordings/store/exchange-file.ts';
import { locationOf } from '../../recordings/store/location.ts';
import { amount } from '../../reporters/wording.ts';
import { printable } from '../../server/printable.ts';
import { resolveConfig } from '../../settings/config.ts';
import { parseTarget } from '../../upstreams/target.ts';
import { version } from '../../version.ts';
import { flagsOf, formatOf, RECORDINGS, REDACTION, takesText, withSettings } from '../options.ts';
import { type Output, say, standardOutput, writeFileWhole } from '../output.ts';
import {
  chosenIn,
  type Numbered,
  type Selection,
  selectionOf,
  type Where,
  withSelection,
} from './selection.ts';

/** As the builder has yargs read them. */
interface Args {
  name: string;
  format: 'har' | 'curl';
  output?: string;
}

export const exportRecording: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, [...RECORDINGS, 'target', ...REDACTION]))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .options({
        format: formatOf('Of the export', 'har', 'curl'),
        output: takesText('File to write; else standard output', { alias: 'o' }),
      })
      .example('$0 recordings export checkout -o checkout.har', "for a browser's developer tools")
      .example(
        '$0 recordings export checkout --format curl --method PATCH | bash',
        'send what was recorded again',
      )
      .example(
        '$0 recordings export checkout --target https://staging.example.com',
        'with the URLs of a service',
      ),
  handler: async (argv) => {
    const { config, origins } = await resolveConfig(flagsOf(argv));
    const { name, format, output } = argv as unknown as Args;
    // What a proxy is configured for is not what these commands are to be sent to, unless a flag says so here.
    const target = origins.target === 'flag' ? parseTarget(config.target as string) : undefined;
    const args = {
      folder: config.recordings,
      name,
      selection: selectionOf(argv),
      format,
      base: target ? target.origin + target.path : format === 'har' ? NO_ORIGIN : 'http://127.0.0.1:4010',
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
  format: 'har' | 'curl';
  /** What URLs begin with. */
  base: string;
  redaction: Redaction;
  /** Of this program. */
  version: string;
}

/** Writes a recording for other tools, redacted, one exchange after the other. @returns how many */
export async function runExport(args: ExportArgs, output: Output): Promise<number> {
  const { folder, name, selection, format, redaction } = args;
  let count = 0;
  async function* redacted(): AsyncGenerator<Numbered> {
    for await (const one of chosenIn(args, selection)) {
      count++;
      yield { ...one, exchange: redactExchange(one.exchange, redaction) };
    }
  }
  const text = format === 'har' ? harText : curlText;
  const root = join(folder, name);
  for await (const part of text(redacted(), root, args)) if (!(await output.write(part))) break;
  return count;
}

async function* harText(
  exchanges: AsyncIterable<Numbered>,
  root: string,
  { base, version }: ExportArgs,
): AsyncGenerator<string> {
  const creator = JSON.stringify({ name: CREATOR, version });
  let before = `{ "log": { "version": "1.2", "creator": ${creator}, "entries": [\n`;
  for await (const { exchange } of exchanges) {
    const entry = harEntryOf({ exchange, ...bodiesOf(root, exchange) }, base);
    yield before + JSON.stringify(entry, null, 2);
    before = ',\n';
  }
  yield `${before === ',\n' ? '\n' : before}] } }\n`;
}

async function* curlText(
  exchanges: AsyncIterable<Numbered>,
  root: string,
  { base }: ExportArgs,
): AsyncGenerator<string> {
  for await (const { number, exchange } of exchanges) {
    const { request } = bodiesOf(root, exchange);
    const { meta, failure, response } = exchange;
    const outcome = failure?.kind ?? response?.status;
    // Nothing of the recording may end the comment and be a command.
    yield printable(
      `# ${number}: ${exchange.request.method} ${exchange.request.path}, ${outcome} on ${meta.recordedAt}`,
    );
    const isKept = request === undefined || Buffer.isBuffer(request);
    if (!isKept) yield `\n# its body of ${request.omitted} bytes was not kept`;
    yield `\n${curlLine(exchange.request, isKept ? (request ?? NO_BODY) : NO_BODY, base)}\n\n`;
  }
}

const NO_BODY = Buffer.alloc(0);

/** @param root the recording's folder, where long bodies of files stand */
function bodiesOf(root: string, { request, response }: Exchange) {
  const bytesOf = (body: StoredBody | undefined): BodyToExport =>
    body === undefined || 'omitted' in body
      ? body
      : readBody(join(root, locationOf(request.method, request.path)), body);
  return { request: bytesOf(request.body), response: bytesOf(response?.body) };
}
