import { isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../errors.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { findPlace, type Place, placeAt, syntaxErrorOf } from '../../json/json-text.ts';
import { scanJson, UNLIMITED } from '../../json/scan-json.ts';
import type { Exchange, RecordedResponse } from '../../model/exchange.ts';
import { checkExchange } from './check-exchange.ts';

export const FORMAT_VERSION = 1;

/** The content of one file of a recording. */
export interface RecordingContent {
  formatVersion: typeof FORMAT_VERSION;
  /** Oldest first. */
  exchanges: readonly Exchange[];
}

/**
 * Reads the text of a recording's file and checks every field of it. Nothing broken is ever taken for empty.
 *
 * @param file its name, for the message
 * @param place the method and path whose file it is; each exchange must be of these
 * @throws PatchgateError `bad-recording` with file, line and column and what is wrong there
 */
export function parseRecording(
  text: string,
  file: string,
  place?: { method: string; path: string },
): RecordingContent {
  const found = parse(text, file);
  if (!isObject(found)) throw broken(file, { line: 1, column: 1 }, 'an object is expected');
  refuseTwoLists(text, file);
  const version = found.formatVersion;
  const fail = (pointer: string, what: string, hint?: string) =>
    broken(file, findPlace(text, pointer), what, hint);
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    throw fail(
      '/formatVersion',
      `the file is of format ${version}, this Patchgate reads up to ${FORMAT_VERSION}`,
      'update patchgate, or record again',
    );
  }
  if (version !== FORMAT_VERSION) throw fail('/formatVersion', `formatVersion must be ${FORMAT_VERSION}`);
  const { exchanges } = found;
  if (!Array.isArray(exchanges)) throw fail('/exchanges', 'exchanges must be a list');
  for (const [i, exchange] of exchanges.entries()) {
    const wrong = checkExchange(exchange, `/exchanges/${i}`, place);
    if (wrong) throw fail(wrong.pointer, `${wrong.pointer} ${wrong.what}`);
  }
  return found as unknown as RecordingContent;
}

/**
 * The text of a file's bytes.
 *
 * @throws PatchgateError `bad-recording` with line and column of the first byte that is not UTF-8
 */
export function decodeRecording(bytes: Buffer, file: string): string {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return text;
  // A wrong byte is read as U+FFFD, which may also stand there itself.
  let at = text.indexOf('\ufffd');
  let offset = Buffer.byteLength(text.slice(0, at));
  while (bytes.toString('latin1', offset, offset + 3) === '\xef\xbf\xbd') {
    const next = text.indexOf('\ufffd', at + 1);
    offset += Buffer.byteLength(text.slice(at, next));
    at = next;
  }
  throw broken(file, placeAt(text, at), 'the file is not valid UTF-8');
}

/** The same for exchanges that a file shows alike. */
export function exchangeText(exchange: Exchange): string {
  return JSON.stringify(inOrder(exchange));
}

/** Known members first and in this order; what else somebody wrote into the file stays behind them. */
export function inOrder({ request, response, meta, ...rest }: Exchange): Exchange {
  const { method, path, query, headers, body, ...restOfRequest } = request;
  const { recordedAt, durationMs, session, ...restOfMeta } = meta;
  return {
    request: { method, path, query, headers, ...(body && { body }), ...restOfRequest },
    response: responseInOrder(response),
    meta: { recordedAt, durationMs, ...(session !== undefined && { session }), ...restOfMeta },
    ...rest,
  };
}

function responseInOrder({ status, headers, body, ...rest }: RecordedResponse): RecordedResponse {
  return { status, headers, ...(body && { body }), ...rest };
}

function parse(text: string, file: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    if (text.trim() === '') throw broken(file, { line: 1, column: 1 }, 'the file is empty');
    if (text.startsWith('\ufeff')) {
      throw broken(
        file,
        { line: 1, column: 1 },
        'the file begins with a byte order mark',
        'save it as UTF-8 without one',
      );
    }
    const error = syntaxErrorOf(text);
    const place = error ? placeAt(text, error.offset) : { line: 1, column: 1 };
    const isCut = error !== undefined && error.offset >= text.trimEnd().length;
    const what = isCut ? 'the file ends too early' : (error?.message ?? 'this is no JSON');
    throw broken(file, place, what);
  }
}

/** A merge can leave two lists, of which JSON.parse sees one: the other would be gone when the file is written again. */
function refuseTwoLists(text: string, file: string): void {
  if (text.indexOf(LIST) === text.lastIndexOf(LIST)) return;
  scanJson(text, UNLIMITED, ({ kind, open, offset, what }) => {
    if (kind !== 'duplicate-key' || open.length > 1) return;
    throw broken(file, placeAt(text, offset), `${what} stands here for the second time`);
  });
}

const LIST = '"exchanges"';

function broken(file: string, place: Place, what: string, hint?: string): PatchgateError {
  return new PatchgateError('bad-recording', `${file}:${place.line}:${place.column}: ${what}`, {
    hint: hint ?? 'correct the file, take it back from version control, or delete it and record again',
    details: { file, ...place },
  });
}
