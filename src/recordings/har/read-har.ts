import { constants, isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../errors.ts';
import { isObject, type JsonValue, member } from '../../json/json.ts';
import { findPlace, findPlaces, type Place, placeAt, syntaxErrorOf } from '../../json/json-text.ts';
import { scanJson, UNLIMITED } from '../../json/scan-json.ts';
import { problemOf } from '../../schemas/check.ts';
import { CREATOR, type HarEntry } from './har.ts';

/** The first field that is not as HAR 1.2 says. */
export interface WrongField {
  pointer: string;
  /** Follows the pointer: `must be a text`. */
  what: string;
}

export interface HarItem {
  /** `/log/entries/3` */
  pointer: string;
  value: JsonValue;
  /** Absent where the request cannot be read; the request alone where something else is wrong. */
  entry?: HarEntry;
  /** Its pointer starts from the entry. */
  wrong?: WrongField;
}

interface HarArchive {
  /** In which the entries stand. */
  text: string;
  /** Whether Patchgate wrote it: then its bodies and headers are those of the recording. */
  isOwn: boolean;
  /** In the order of the file. */
  items: readonly HarItem[];
}

/**
 * The entries of an HTTP archive, each checked as far as it is read here.
 *
 * @param file its name, for messages
 * @throws PatchgateError `bad-input` with file, line and column where it is no archive
 */
export function harEntries(bytes: Buffer, file: string): HarArchive {
  const text = textOf(bytes, file);
  const har = parse(text, file);
  const wrong = problemOf('har', har)?.brief;
  if (wrong) throw broken(file, findPlace(text, wrong.pointer), `${wrong.pointer} ${wrong.what}`.trim());
  refuseTwoLists(text, file);
  const { entries, creator } = (har as unknown as { log: { entries: JsonValue[]; creator?: JsonValue } }).log;
  const items = entries.map((value, index) => ({
    pointer: `/log/entries/${index}`,
    value,
    ...checkEntry(value),
  }));
  return { text, isOwn: member(creator, 'name') === CREATOR, items };
}

/** Checks the fields of an entry that are read here. */
function checkEntry(value: JsonValue): Pick<HarItem, 'entry' | 'wrong'> {
  const wrong = problemOf('harEntry', value)?.brief;
  if (!wrong) return { entry: value as unknown as HarEntry };
  if (!isObject(value) || wrong.pointer.startsWith('/request')) return { wrong };
  return { entry: { request: value.request } as unknown as HarEntry, wrong };
}

/** An entry with a time: where it has none of its own, that of the one before it, or of now. */
export type TimedEntry = HarEntry & { startedDateTime: string };

export interface HarContent {
  /** In the order of their start, but for an archive of ours, whose order is that of the recording. */
  entries: readonly TimedEntry[];
  isOwn: boolean;
  /** Entries that are left out, and why: `x.har:12:5: /log/entries/3/request/url must be a text`. */
  odd: readonly string[];
}

/** Reads an HTTP archive to be imported. @throws PatchgateError as `harEntries` */
export function readHar(bytes: Buffer, file: string): HarContent {
  const { text, isOwn, items } = harEntries(bytes, file);
  const entries = timed(items.flatMap(({ entry, wrong }) => (entry && !wrong ? entry : [])));
  if (!isOwn) entries.sort((a, b) => startOf(a) - startOf(b));
  const found = items.flatMap(({ pointer, wrong }) =>
    wrong ? { ...wrong, pointer: pointer + wrong.pointer, part: 'value' as const } : [],
  );
  const places = found.length > 0 ? findPlaces(text, found) : [];
  const odd = found.map(({ pointer, what }, i) => said(file, places[i] as Place, `${pointer} ${what}`));
  return { entries, isOwn, odd };
}

function timed(entries: readonly HarEntry[]): TimedEntry[] {
  let last =
    entries.find((entry) => !Number.isNaN(startOf(entry)))?.startedDateTime ?? new Date().toISOString();
  return entries.map((entry) => {
    if (!Number.isNaN(startOf(entry))) last = entry.startedDateTime as string;
    return { ...entry, startedDateTime: last };
  });
}

function startOf({ startedDateTime }: HarEntry): number {
  return typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN;
}

/** How files begin that are given by mistake. */
const FOREIGN = [
  { start: 'PK', what: 'is a ZIP archive', hint: 'unpack it, and give the .har file that it holds' },
  { start: '\x1f\x8b', what: 'is compressed', hint: 'unpack it with gunzip first' },
];

function textOf(bytes: Buffer, file: string): string {
  const refuse = (what: string, hint: string) => new PatchgateError('bad-input', `${file} ${what}`, { hint });
  for (const { start, what, hint } of FOREIGN)
    if (bytes.toString('latin1', 0, start.length) === start) throw refuse(what, hint);
  if (bytes.length > constants.MAX_STRING_LENGTH)
    throw refuse(
      `has more than ${constants.MAX_STRING_LENGTH} bytes`,
      'export it in parts, or without large responses',
    );
  if (!isUtf8(bytes))
    throw refuse(
      'is not valid UTF-8, as an HTTP archive must be',
      'export it again; where a shell wrote it (Windows), have it write UTF-8',
    );
  // Some proxies begin it with a byte order mark.
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function parse(text: string, file: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    const error = syntaxErrorOf(text);
    const place = error ? placeAt(text, error.offset) : { line: 1, column: 1 };
    throw broken(file, place, error?.message ?? 'this is no JSON');
  }
}

/** Of two lists JSON.parse sees one: nothing would be said of what the other holds. */
function refuseTwoLists(text: string, file: string): void {
  if (text.indexOf('"entries"') === text.lastIndexOf('"entries"')) return;
  scanJson(text, UNLIMITED, ({ kind, open, offset, what }) => {
    const isList = open.length === 1 ? what === 'log' : open.length === 2 && what === 'entries';
    if (kind === 'duplicate-key' && isList)
      throw broken(file, placeAt(text, offset), `${what} stands here for the second time`);
  });
}

function said(file: string, { line, column }: Place, what: string): string {
  return `${file}:${line}:${column}: ${what}`;
}

function broken(file: string, place: Place, what: string): PatchgateError {
  return new PatchgateError('bad-input', said(file, place, what), {
    hint: 'an HTTP archive (HAR 1.2) is expected: export it again; nothing was read',
  });
}
