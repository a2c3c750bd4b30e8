import { constants, isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../errors.ts';
import { isObject, type JsonValue, member } from '../../json/json.ts';
import { findPlace, findPlaces, type Place, placeAt, syntaxErrorOf } from '../../json/json-text.ts';
import { scanJson, UNLIMITED } from '../../json/scan-json.ts';
import { problemOf } from '../../schemas/check.ts';
import { CREATOR, type HarEntry } from './har.ts';

export interface HarItem {
  /** `/log/entries/3` */
  pointer: string;
  value: JsonValue;
  /** Absent where the request cannot be read; the request alone where something else is wrong. */
  entry?: HarEntry;
  /** The first field that is not as HAR 1.2 says: its pointer from the entry, and `must be string`. */
  wrong?: { pointer: string; what: string };
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
  const broken = (place: Place, what: string) =>
    new PatchgateError('bad-input', said(file, place, what), {
      hint: 'an HTTP archive (HAR 1.2) is expected: export it again; nothing was read',
    });
  let har: JsonValue;
  try {
    har = JSON.parse(text) as JsonValue;
  } catch {
    const { offset, message } = syntaxErrorOf(text) ?? { offset: 0, message: 'this is no JSON' };
    throw broken(placeAt(text, offset), message);
  }
  const wrong = problemOf('har', har)?.brief;
  if (wrong) throw broken(findPlace(text, wrong.pointer), `${wrong.pointer} ${wrong.what}`.trim());
  // Of two lists JSON.parse sees one: nothing would be said of the other.
  if (text.indexOf('"entries"') !== text.lastIndexOf('"entries"'))
    scanJson(text, UNLIMITED, ({ kind, open, offset, what }) => {
      const isList = open.length === 1 ? what === 'log' : open.length === 2 && what === 'entries';
      if (kind === 'duplicate-key' && isList)
        throw broken(placeAt(text, offset), `${what} stands here for the second time`);
    });
  const { log } = har as unknown as { log: { entries: JsonValue[]; creator?: JsonValue } };
  const items = log.entries.map((value, index) => ({ pointer: `/log/entries/${index}`, ...checked(value) }));
  return { text, isOwn: member(log.creator, 'name') === CREATOR, items };
}

/** Checks the fields of an entry that are read here. */
function checked(value: JsonValue): Omit<HarItem, 'pointer'> {
  const wrong = problemOf('harEntry', value)?.brief;
  if (!wrong) return { value, entry: value as unknown as HarEntry };
  if (!isObject(value) || wrong.pointer.startsWith('/request')) return { value, wrong };
  return { value, entry: { request: value.request } as unknown as HarEntry, wrong };
}

/** An entry with a time: where it has none of its own, that of the one before it, or of now. */
export type TimedEntry = HarEntry & { startedDateTime: string };

export interface HarContent {
  /** In the order of their start, but for an archive of ours, whose order is that of the recording. */
  entries: readonly TimedEntry[];
  isOwn: boolean;
  /** Entries that are left out, and why: `x.har:12:5: /log/entries/3/request/url must be string`. */
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
  const hasStart = (entry: HarEntry) => !Number.isNaN(startOf(entry));
  let last = entries.find(hasStart)?.startedDateTime ?? new Date().toISOString();
  return entries.map((entry) => {
    if (hasStart(entry)) last = entry.startedDateTime as string;
    return { ...entry, startedDateTime: last };
  });
}

function startOf({ startedDateTime }: HarEntry): number {
  return typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN;
}

function textOf(bytes: Buffer, file: string): string {
  const refuse = (what: string, hint: string) => new PatchgateError('bad-input', `${file} ${what}`, { hint });
  const begin = bytes.toString('latin1', 0, 2);
  if (begin === 'PK') throw refuse('is a ZIP archive', 'unpack it, and give the .har file that it holds');
  if (begin === '\x1f\x8b') throw refuse('is compressed', 'unpack it with gunzip first');
  const most = constants.MAX_STRING_LENGTH;
  if (bytes.length > most)
    throw refuse(`has more than ${most} bytes`, 'export it in parts, or without large responses');
  if (!isUtf8(bytes))
    throw refuse(
      'is not valid UTF-8, as an HTTP archive must be',
      'export it again; where a shell wrote it (Windows), have it write UTF-8',
    );
  // Some proxies begin it with a byte order mark.
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function said(file: string, { line, column }: Place, what: string): string {
  return `${file}:${line}:${column}: ${what}`;
}
