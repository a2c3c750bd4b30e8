import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** Bytes that a body may have once its codings are undone. */
const LIMIT = 64 * 1024 * 1024;
const MOST_CODINGS = 4;

type Undo = (bytes: Buffer) => Buffer;

const CODINGS: Record<string, Undo> = {
  gzip: (bytes) => gunzipSync(bytes, { maxOutputLength: LIMIT }),
  'x-gzip': (bytes) => gunzipSync(bytes, { maxOutputLength: LIMIT }),
  br: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: LIMIT }),
  deflate: (bytes) => inflate(bytes),
};

/**
 * The bytes without their content codings, or undefined where they cannot be had: an unknown coding, broken or cut
 * bytes, or more than 64 MiB of them.
 *
 * @param coding the value of Content-Encoding; undefined gives the same bytes back
 */
export function undoCodings(bytes: Buffer, coding: string | undefined): Buffer | undefined {
  if (coding === undefined || bytes.length === 0) return bytes;
  const names = coding
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MOST_CODINGS || !names.every((name) => Object.hasOwn(CODINGS, name))) return undefined;
  try {
    return names.reduceRight((coded, name) => (CODINGS[name] as Undo)(coded), bytes);
  } catch {
    // Broken, cut or too large: the caller keeps the bytes as they came, which loses nothing.
    return undefined;
  }
}

/** By the standard `deflate` has a zlib header (RFC 9110 8.4.1.2); some senders leave it out. */
function inflate(bytes: Buffer): Buffer {
  const hasHeader =
    ((bytes[0] as number) & 0x0f) === 8 && bytes.length > 1 && bytes.readUInt16BE(0) % 31 === 0;
  return hasHeader
    ? inflateSync(bytes, { maxOutputLength: LIMIT })
    : inflateRawSync(bytes, { maxOutputLength: LIMIT });
}
