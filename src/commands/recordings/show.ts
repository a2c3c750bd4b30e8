import { STATUS_CODES } from 'node:http';
import type { CommandModule } from 'yargs';
import { PatchgateError } from '../../errors.ts';
import { type Exchange, headerPairs, type StoredBody, type StoredHeaders } from '../../model/exchange.ts';
import { jsonOf } from '../../recordings/body.ts';
import { redactExchange } from '../../recordings/plain-exchange.ts';
import { visible } from '../../reporters/wording.ts';
import { resolveConfig } from '../../settings/config.ts';
import { flagsOf, formatOf, isOn, RECORDINGS, REDACTION, withSettings } from '../options.ts';
import { standardOutput } from '../output.ts';
import {
  exchangesOf,
  type Numbered,
  nothingSelected,
  selectionOf,
  withRecording,
  withRecordings,
  withSelection,
} from './recordings.ts';

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
      .options({ full: isOn('Show all in full'), format: formatOf('Of what is shown', 'text', 'json') })
      .example('$0 recordings show checkout', 'one line for each exchange')
      .example("$0 recordings show checkout --path '/api/*/drafts/*' --full", 'all of some paths'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { name, full, format, ...rest } = argv as unknown as Args;
    const numbers = (rest.numbers ?? []).map(numberOf);
    const selection = selectionOf(argv);
    const shown = await withRecordings(config, async (recordings) => {
      const all = await withRecording(recordings, name, 'read', exchangesOf);
      const { redaction } = recordings.rules;
      return all
        .filter(
          ({ number, exchange }) =>
            (numbers.length === 0 || numbers.includes(number)) && (selection?.(exchange) ?? true),
        )
        .map((one) => ({ ...one, exchange: redactExchange(one.exchange, redaction) }));
    });
    if (shown.length < numbers.length || (shown.length === 0 && selection))
      throw nothingSelected(name, numbers.length === 0 ? undefined : `no exchange ${numbers.join(', ')}`);
    const output = standardOutput();
    const textOf = full || numbers.length > 0 ? exchangeText : exchangeLine;
    if (format === 'json')
      await output.write(
        `${JSON.stringify(
          shown.map(({ number, exchange }) => ({ number, ...exchange })),
          null,
          2,
        )}\n`,
      );
    else if (shown.length === 0) await output.write(`${name} holds no exchanges\n`);
    else for (const one of shown) if (!(await output.write(textOf(one)))) return;
  },
};

function numberOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new PatchgateError('bad-usage', `${JSON.stringify(text)} is no number of an exchange`, {
    hint: 'the list has them: patchgate recordings show <name>',
  });
}

/** `    3  PATCH   200  2026-11-20 12:00:00  /api/v2/…  [session]` */
function exchangeLine({ number, exchange }: Numbered): string {
  const { request, response, meta } = exchange;
  const time = meta.recordedAt.slice(0, 19).replace('T', ' ');
  const session = meta.session === undefined ? '' : `  [${visible(meta.session)}]`;
  return `${String(number).padStart(5)}  ${visible(request.method).padEnd(6)}  ${response.status}  ${time}  ${urlOf(exchange)}${session}\n`;
}

/** Request and response with headers and bodies; JSON is indented. */
function exchangeText({ number, exchange }: Numbered): string {
  const { request, response, meta } = exchange;
  const session = meta.session === undefined ? '' : `, in the session ${JSON.stringify(meta.session)}`;
  const lines = [
    `#${number}  recorded ${visible(meta.recordedAt)}, took ${meta.durationMs} ms${session}`,
    `${visible(request.method)} ${urlOf(exchange)}`,
    ...messageLines(request.headers, request.body),
    '',
    `${response.status} ${STATUS_CODES[response.status] ?? ''}`.trimEnd(),
    ...messageLines(response.headers, response.body),
  ];
  return `${lines.join('\n')}\n\n`;
}

function urlOf({ request: { path, query } }: Exchange): string {
  return visible(query === '' ? path : `${path}?${query}`);
}

function messageLines(headers: StoredHeaders, body: StoredBody | undefined): string[] {
  const lines = headerPairs(headers).map(([name, value]) => visible(`${name}: ${value}`));
  return body ? [...lines, '', ...bodyText(body).split('\n').map(visible)] : lines;
}

function bodyText(body: StoredBody): string {
  if ('omitted' in body) return `(${body.omitted} bytes, not kept)`;
  if ('base64' in body) return `(${Buffer.byteLength(body.base64, 'base64')} bytes that are no text)`;
  const json = jsonOf(body);
  return json === undefined ? (body as { text: string }).text : JSON.stringify(json, null, 2);
}
