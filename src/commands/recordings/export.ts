import type { CommandModule } from 'yargs';
import type { Exchange, StoredBody } from '../../model/exchange.ts';
import { curlLine } from '../../recordings/curl.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import { CREATOR, NO_ORIGIN } from '../../recordings/har/har.ts';
import { type BodyToExport, harEntryOf } from '../../recordings/har/to-har.ts';
import { redactExchange } from '../../recordings/redaction/redact.ts';
import { type Redaction, redactionOf } from '../../recordings/redaction/redaction.ts';
import { openStore } from '../../recordings/store/open-store.ts';
import type { RecordingStore } from '../../recordings/store/recording-store.ts';
import { amount } from '../../reporters/wording.ts';
import { printable } from '../../server/printable.ts';
import { resolveConfig } from '../../settings/config.ts';
import { parseTarget } from '../../upstreams/target.ts';
import { version } from '../../version.ts';
import { flagsOf, formatOf, REDACTION, takesText, withSettings } from '../options.ts';
import { type Output, say, standardOutput, writeFileWhole } from '../output.ts';
import { chooser, inOrder, type Numbered, type Selection, selectionOf, withSelection } from './selection.ts';

/** As the builder has yargs read them. */
interface Args {
  name: string;
  format: 'har' | 'curl';
  output?: string;
}

export const exportRecording: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, ['recordings', 'target', ...REDACTION]))
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
    if (output === undefined) await runExport(args, standardOutput());
    else {
      const parts: string[] = [];
      const count = await runExport(args, { write: async (text) => parts.push(text) > 0 });
      await writeFileWhole(output, parts);
      say(`${amount(count, 'exchange')} written to ${output}`);
    }
  },
};

export interface ExportArgs {
  /** That of all recordings. */
  folder: string;
  name: string;
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
  await findRecording(folder, name);
  const store = await openStore(folder, name);
  try {
    const chosen = inOrder(store, chooser(selection));
    const text = format === 'har' ? harText : curlText;
    for (const part of text(redacted(chosen, redaction), store, args)) if (!(await output.write(part))) break;
    return chosen.length;
  } finally {
    await store.close();
  }
}

function* redacted(exchanges: readonly Numbered[], redaction: Redaction): Generator<Numbered> {
  for (const numbered of exchanges)
    yield { ...numbered, exchange: redactExchange(numbered.exchange, redaction) };
}

function* harText(
  exchanges: Iterable<Numbered>,
  store: RecordingStore,
  { base, version }: ExportArgs,
): Generator<string> {
  const creator = JSON.stringify({ name: CREATOR, version });
  let before = `{ "log": { "version": "1.2", "creator": ${creator}, "entries": [\n`;
  for (const { exchange } of exchanges) {
    const entry = harEntryOf({ exchange, ...bodiesOf(store, exchange) }, base);
    yield before + JSON.stringify(entry, null, 2);
    before = ',\n';
  }
  yield `${before === ',\n' ? '\n' : before}] } }\n`;
}

function* curlText(
  exchanges: Iterable<Numbered>,
  store: RecordingStore,
  { base }: ExportArgs,
): Generator<string> {
  for (const { number, exchange } of exchanges) {
    const { request } = bodiesOf(store, exchange);
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

function bodiesOf(store: RecordingStore, { request, response }: Exchange) {
  const bytesOf = (body: StoredBody | undefined): BodyToExport =>
    body === undefined || 'omitted' in body ? body : store.readBody(request.method, request.path, body);
  return { request: bytesOf(request.body), response: bytesOf(response?.body) };
}
