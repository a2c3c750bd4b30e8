import { STATUS_CODES } from 'node:http';
import type { CommandModule } from 'yargs';
import { PatchgateError } from '../../errors.ts';
import { type Exchange, headerPairs, type StoredBody, type StoredHeaders } from '../../model/exchange.ts';
import { jsonOf } from '../../recordings/body.ts';
import { redactExchange } from '../../recordings/plain-exchange.ts';
import { visible } from '../../reporters/wording.ts';
import { RECORDINGS, withSettings } from '../options.ts';
import { inOrder, selectionOf, withRecording, withRecordings, withSelection } from './recordings.ts';

export const show: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, [...RECORDINGS, 'redact']))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .positional('numbers', {
        type: 'string',
        array: true,
        describe: 'Those to show in full, by their numbers in the list',
      })
      .example("$0 recordings show checkout --status '4*'", 'one line for each exchange')
      .example('$0 recordings show checkout 3', 'the third with headers and bodies'),
  handler: (argv) => {
    const { name, numbers = [] } = argv as unknown as { name: string; numbers?: string[] };
    const selection = selectionOf(argv) ?? (() => true);
    return withRecordings(argv, async (recordings) => {
      const all = await withRecording(recordings, name, 'read', inOrder);
      const wrong = numbers.find((text) => !all[Number(text) - 1]);
      const { redaction } = recordings.rules;
      const shown = all
        .map((exchange, i) => ({ number: i + 1, exchange }))
        .filter(({ number }) => numbers.length === 0 || numbers.some((text) => Number(text) === number))
        .map(({ number, exchange }) => ({ number, exchange: redactExchange(exchange, redaction) }))
        .filter(({ exchange }) => selection(exchange));
      const isNumber = !Number.isNaN(Number(wrong ?? 0));
      const message = isNumber
        ? `${name} holds no exchange ${wrong ?? 'like that'}`
        : `${wrong} is no number`;
      const hint = `patchgate recordings show ${name} lists what it holds`;
      if (shown.length === 0 || wrong !== undefined) throw new PatchgateError('bad-usage', message, { hint });
      const textOf = numbers.length > 0 ? exchangeText : exchangeLine;
      return shown.map(({ number, exchange }) => textOf(number, exchange)).join('');
    });
  },
};

/** `    3  PATCH   200  2026-11-20 12:00:00  /api/v2/…  [session]` */
function exchangeLine(number: number, { request, response, meta }: Exchange): string {
  const time = meta.recordedAt.slice(0, 19).replace('T', ' ');
  const session = meta.session === undefined ? '' : `  [${meta.session}]`;
  const cells = [String(number).padStart(5), request.method.padEnd(6), response.status, time, urlOf(request)];
  return `${visible(cells.join('  ') + session)}\n`;
}

/** Request and response with headers and bodies; JSON is indented. */
function exchangeText(number: number, { request, response, meta }: Exchange): string {
  const session = meta.session === undefined ? '' : `, in the session ${JSON.stringify(meta.session)}`;
  const lines = [
    `#${number}  recorded ${meta.recordedAt}, took ${meta.durationMs} ms${session}`,
    `${request.method} ${urlOf(request)}`,
    ...messageLines(request.headers, request.body),
    '',
    `${response.status} ${STATUS_CODES[response.status] ?? ''}`.trimEnd(),
    ...messageLines(response.headers, response.body),
  ];
  return `${lines.map(visible).join('\n')}\n\n`;
}

function urlOf({ path, query }: Exchange['request']): string {
  return query === '' ? path : `${path}?${query}`;
}

function messageLines(headers: StoredHeaders, body: StoredBody | undefined): string[] {
  const lines = headerPairs(headers).map(([name, value]) => `${name}: ${value}`);
  return body ? [...lines, '', ...bodyText(body).split('\n')] : lines;
}

function bodyText(body: StoredBody): string {
  if ('base64' in body) return `(${Buffer.byteLength(body.base64, 'base64')} bytes that are no text)`;
  const json = jsonOf(body);
  return json === undefined ? (body as { text: string }).text : JSON.stringify(json, null, 2);
}
