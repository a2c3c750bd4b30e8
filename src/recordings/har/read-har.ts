import { isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../errors.ts';
import { isObject, type JsonValue, member } from '../../json/json.ts';
import { findPlace, findPlaces, type Place, placeAt, syntaxErrorOf } from '../../json/json-text.ts';
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
  const fail = (what: string) =>
    new PatchgateError('bad-input', what, {
      hint: 'an HTTP archive (HAR 1.2) is expected, unpacked and in UTF-8: export it again; nothing was read',
    });
  if (!isUtf8(bytes)) throw fail(`${file} is not valid UTF-8`);
  // Some proxies begin it with a byte order mark.
  const text = bytes.toString().replace(/^\ufeff/, '');
  const error = syntaxErrorOf(text);
  if (error) throw fail(said(file, placeAt(text, error.offset), error.message));
  const har = JSON.parse(text) as JsonValue;
  const wrong = problemOf('har', har)?.brief;
  if (wrong) throw fail(said(file, findPlace(text, wrong.pointer), `${wrong.pointer} ${wrong.what}`.trim()));
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

interface HarContent {
  /** In the order of their start, but for an archive of ours, whose order is that of the recording. */
  entries: readonly TimedEntry[];
  isOwn: boolean;
  /** Entries that are left out, and why: `x.har:12:5: /log/entries/3/request/url must be string`. */
  odd: readonly string[];
}

/** Reads an HTTP archive to be imported. @throws PatchgateError as `harEntries` */
export function readHar(bytes: Buffer, file: string): HarContent {
  const { text, isOwn, items } = harEntries(bytes, file);
  const start = ({ startedDateTime }: HarEntry) => Date.parse(String(startedDateTime));
  const good = items.flatMap(({ entry, wrong }) => (entry && !wrong ? entry : []));
  let last = good.find((entry) => start(entry) >= 0)?.startedDateTime ?? new Date().toISOString();
  const entries = good.map((entry): TimedEntry => {
    if (start(entry) >= 0) last = entry.startedDateTime as string;
    return { ...entry, startedDateTime: last };
  });
  if (!isOwn) entries.sort((a, b) => start(a) - start(b));
  const found = items.flatMap(({ pointer, wrong }) =>
    wrong ? { ...wrong, pointer: pointer + wrong.pointer, part: 'value' as const } : [],
  );
  const places = found.length > 0 ? findPlaces(text, found) : [];
  const odd = found.map(({ pointer, what }, i) => said(file, places[i] as Place, `${pointer} ${what}`));
  return { entries, isOwn, odd };
}

function said(file: string, { line, column }: Place, what: string): string {
  return `${file}:${line}:${column}: ${what}`;
}
