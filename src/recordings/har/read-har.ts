import { isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../errors.ts';
import { findPlace, type Place, placeAt, syntaxErrorOf } from '../../model/json-text.ts';
import { checkHar } from './check-har.ts';
import { CREATOR, type Har, type HarEntry } from './har.ts';

export interface HarContent {
  /** In the order of their start, but for an archive of ours, whose order is that of the recording. */
  entries: readonly HarEntry[];
  /** Whether Patchgate wrote it: then its bodies and headers are those of the recording. */
  isOwn: boolean;
}

/**
 * Reads the bytes of an HTTP archive and checks every field that import looks at. Pure.
 *
 * @param file its name, for the message
 * @throws PatchgateError `bad-input` with file, line, column and JSON Pointer
 */
export function readHar(bytes: Buffer, file: string): HarContent {
  const text = textOf(bytes, file);
  const har = parse(text, file);
  const wrong = checkHar(har);
  if (wrong) throw broken(file, findPlace(text, wrong.pointer), `${wrong.pointer} ${wrong.what}`.trim());
  const { entries, creator } = (har as Har).log;
  if (creator?.name === CREATOR) return { entries, isOwn: true };
  return { entries: [...entries].sort((a, b) => startOf(a) - startOf(b)), isOwn: false };
}

function startOf({ startedDateTime }: HarEntry): number {
  return Date.parse(startedDateTime);
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

function broken(file: string, place: Place, what: string): PatchgateError {
  return new PatchgateError('bad-input', `${file}:${place.line}:${place.column}: ${what}`, {
    hint: 'an HTTP archive (HAR 1.2) is expected: export it again; nothing was imported',
  });
}
