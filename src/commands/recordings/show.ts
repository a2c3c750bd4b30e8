import { STATUS_CODES } from 'node:http';
import type { CommandModule } from 'yargs';
import { withDatabase } from '../../app/open-database.ts';
import { PatchgateError } from '../../errors.ts';
import { type Exchange, headerPairs, type StoredBody, type StoredHeaders } from '../../model/exchange.ts';
import { jsonOf } from '../../recordings/body.ts';
import { redactExchange } from '../../recordings/redact/redact.ts';
import { type Redaction, redactionOf } from '../../recordings/redact/redaction.ts';
import { printable } from '../../server/printable.ts';
import { resolveConfig } from '../../settings/config.ts';
import { flagsOf, formatOf, isOn, RECORDINGS, REDACTION, withSettings } from '../options.ts';
import { type Output, standardOutput } from '../output.ts';
import {
  chosenIn,
  isSelecting,
  type Numbered,
  nothingSelected,
  type Selection,
  selectionOf,
  type Where,
  withSelection,
} from './selection.ts';
import { ageSince, sizeText } from './units.ts';

/** As the builder has yargs read them. */
interface Args {
  name: string;
  numbers?: string[];
  full: boolean;
  format: 'text' | 'json';
}

export const show: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, [...RECORDINGS, ...REDACTION]))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .positional('numbers', {
        type: 'string',
        array: true,
        describe: 'Those to show in full, by their numbers in the list',
      })
      .options({
        full: isOn('Show all in full'),
        format: formatOf('Of what is shown', 'text', 'json'),
      })
      .example('$0 recordings show checkout', 'one line for each exchange')
      .example('$0 recordings show checkout 3', 'the third with headers and bodies')
      .example("$0 recordings show checkout --path '/api/*/drafts/*' --full", 'all of some paths'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { numbers = [], ...rest } = argv as unknown as Args;
    const args = {
      ...rest,
      folder: config.recordings,
      numbers: numbersOf(numbers),
      selection: selectionOf(argv),
      redaction: redactionOf(config),
      now: Date.now(),
    };
    await withDatabase(config, (database) => runShow({ ...args, database }, standardOutput()));
  },
};

/** Numbers of exchanges as they were typed. @throws PatchgateError `bad-usage` */
function numbersOf(texts: readonly string[]): number[] {
  return texts.map((text) => {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw new PatchgateError('bad-usage', `${JSON.stringify(text)} is no number of an exchange`, {
      hint: 'the list has them: patchgate recordings show <name>',
    });
  });
}

export interface ShowArgs extends Where {
  /** Those to be shown in full; empty: all that are selected, one line each. */
  numbers: readonly number[];
  selection: Selection;
  /** All that are selected in full. */
  full: boolean;
  format: 'text' | 'json';
  redaction: Redaction;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Writes exchanges of a recording, redacted. @throws PatchgateError `bad-usage` where a number is none of it */
export async function runShow(args: ShowArgs, output: Output): Promise<void> {
  const { name, numbers, selection, format, redaction, now } = args;
  const isFull = args.full || numbers.length > 0;
  let found = 0;
  for await (const one of chosenIn(args, selection, numbers)) {
    const clean: Numbered = { ...one, exchange: redactExchange(one.exchange, redaction) };
    const text = isFull ? exchangeText : exchangeLine;
    if (!(await output.write(format === 'json' ? jsonLine(clean, found) : text(clean, now)))) return;
    found++;
  }
  if (found < numbers.length || (found === 0 && isSelecting(selection))) throw nothingSelected(name, numbers);
  if (format === 'json') await output.write(found === 0 ? '[]\n' : '\n]\n');
  else if (found === 0) await output.write(`${name} holds no exchanges\n`);
}

/** One member of a list that is written piece by piece. */
function jsonLine({ number, exchange }: Numbered, before: number): string {
  return `${before === 0 ? '[\n' : ',\n'}${JSON.stringify({ number, ...exchange }, null, 2)}`;
}

/** Characters of a body that are shown. */
const BODY_SHOWN = 64 * 1024;

/** `  3  PATCH   200      3d  /api/v2/…`, and behind it the session, where it has a name */
function exchangeLine({ number, exchange }: Numbered, now: number): string {
  const { method } = exchange.request;
  const outcome = String(exchange.response.status);
  const { recordedAt, session } = exchange.meta;
  const age = ageSince(Date.parse(recordedAt), now);
  const named = session === undefined ? '' : `  [${printable(session)}]`;
  return `${String(number).padStart(5)}  ${printable(method).padEnd(6)}  ${outcome.padEnd(9)}  ${age.padStart(4)}  ${urlOf(exchange)}${named}\n`;
}

/** Request and response with headers and bodies; JSON indented, however it was sent. */
function exchangeText({ number, exchange }: Numbered, now: number): string {
  const { request, response, meta } = exchange;
  const age = ageSince(Date.parse(meta.recordedAt), now);
  const when = `recorded ${printable(meta.recordedAt)} (${age === 'now' ? 'just now' : `${age} ago`})`;
  const named = meta.session === undefined ? '' : `, in the session ${JSON.stringify(meta.session)}`;
  const lines = [
    `#${number}  ${when}, took ${meta.durationMs} ms${named}`,
    `${printable(request.method)} ${urlOf(exchange)}`,
    ...messageLines(request.headers, request.body),
    '',
    `${response.status} ${STATUS_CODES[response.status] ?? ''}`.trimEnd(),
    ...messageLines(response.headers, response.body),
  ];
  return `${lines.join('\n')}\n\n`;
}

function urlOf({ request: { path, query } }: Exchange): string {
  return printable(query === '' ? path : `${path}?${query}`);
}

function messageLines(headers: StoredHeaders, body: StoredBody | undefined): string[] {
  const lines = headerPairs(headers).map(([name, value]) => printable(`${name}: ${value}`));
  return body ? [...lines, '', ...bodyLines(body)] : lines;
}

function bodyLines(body: StoredBody): string[] {
  if ('omitted' in body) return [`(${sizeText(body.omitted)}, not kept)`];
  if ('base64' in body) return [`(${sizeText(Buffer.byteLength(body.base64, 'base64'))} that are no text)`];
  const json = jsonOf(body);
  const text = json === undefined ? (body as { text: string }).text : JSON.stringify(json, null, 2);
  const shown = text.slice(0, BODY_SHOWN).split('\n').map(printable);
  const rest = text.length - BODY_SHOWN;
  return rest > 0 ? [...shown, `… and ${rest} more characters: --format json shows all`] : shown;
}
