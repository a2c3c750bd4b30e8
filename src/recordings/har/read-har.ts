import { isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../errors.ts';
import type { JsonValue } from '../../json/json.ts';
import { findPlace, findPlaces, type Place, placeAt, syntaxErrorOf } from '../../json/json-text.ts';
import { checkEntry, checkHar, type WrongField } from './check-har.ts';
import { CREATOR, type Har, type HarEntry } from './har.ts';

export interface HarContent {
  /** In the order of their start, but for an archive of ours, whose order is that of the recording. */
  entries: readonly HarEntry[];
  /** Whether Patchgate wrote it: then its bodies and headers are those of the recording. */
  isOwn: boolean;
  /** Entries that are left out, and why: `x.har:12:5: /log/entries/3/request/url must be a text`. */
  odd: readonly string[];
}

/**
 * Reads the bytes of an HTTP archive and checks every field that import looks at. Each entry has a time: where it has none of its
 * own, that of the one before it, or of now.
 *
 * @param file its name, for the message
 * @throws PatchgateError `bad-input` with file, line and column where it is no archive
 */
export function readHar(bytes: Buffer, file: string): HarContent {
  const text = textOf(bytes, file);
  const har = parse(text, file);
  const wrong = checkHar(har);
  if (wrong) throw broken(file, findPlace(text, wrong.pointer), `${wrong.pointer} ${wrong.what}`.trim());
  const { entries: all, creator } = (har as Har).log;
  const entries: HarEntry[] = [];
  const found: (WrongField & { part: 'value' })[] = [];
  for (const [index, entry] of all.entries()) {
    const odd = checkEntry(entry as unknown as JsonValue);
    if (odd) found.push({ pointer: `/log/entries/${index}${odd.pointer}`, what: odd.what, part: 'value' });
    else entries.push(entry);
  }
  const places = found.length > 0 ? findPlaces(text, found) : [];
  const odd = found.map(({ pointer, what }, i) => said(file, places[i] as Place, `${pointer} ${what}`));
  if (creator?.name === CREATOR) return { entries: timed(entries), isOwn: true, odd };
  const inOrder = timed(entries).sort((a, b) => startOf(a) - startOf(b));
  return { entries: inOrder, isOwn: false, odd };
}

function timed(entries: readonly HarEntry[]): HarEntry[] {
  let last =
    entries.find((entry) => !Number.isNaN(startOf(entry)))?.startedDateTime ?? new Date().toISOString();
  return entries.map((entry) => {
    if (!Number.isNaN(startOf(entry))) last = entry.startedDateTime;
    return { ...entry, startedDateTime: last };
  });
}

function startOf({ startedDateTime }: HarEntry): number {
  return typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN;
}

function textOf(bytes: Buffer, file: string): string {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    throw new PatchgateError('bad-input', `${file} is a ZIP archive`, {
      hint: 'unpack it, and give the .har file that it holds',
    });
  }
  if (!isUtf8(bytes)) {
    throw new PatchgateError('bad-input', `${file} is not valid UTF-8, as an HTTP archive must be`, {
      hint: 'export it again; where a shell wrote it (Windows), have it write UTF-8',
    });
  }
  // Some proxies begin it with a byte order mark.
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const error = syntaxErrorOf(text);
    const place = error ? placeAt(text, error.offset) : { line: 1, column: 1 };
    throw broken(file, place, error?.message ?? 'this is no JSON');
  }
}

function said(file: string, { line, column }: Place, what: string): string {
  return `${file}:${line}:${column}: ${what}`;
}

function broken(file: string, place: Place, what: string): PatchgateError {
  return new PatchgateError('bad-input', said(file, place, what), {
    hint: 'an HTTP archive (HAR 1.2) is expected: export it again; nothing was imported',
  });
}
