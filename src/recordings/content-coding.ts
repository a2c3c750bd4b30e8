import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

const MOST_CODINGS = 3;

/** Who sent a body. The target is chosen by who runs this; its answers are large and nobody's attack. */
export type Sender = 'client' | 'target';

interface Bounds {
  /** Bytes that a body is decoded to at most. */
  decoded: number;
  /** How often a body may be as long as its coded bytes. */
  growth: number;
  /** How often as many coded bytes are read as of a client. */
  coded: number;
}

/** Undoing a coding may cost a thousand times the bytes that were sent. Hence bounds of its own, whatever a body may be. */
const BOUNDS: Readonly<Record<Sender, Bounds>> = {
  client: { decoded: 8 * 1024 * 1024, growth: 100, coded: 1 },
  target: { decoded: 64 * 1024 * 1024, growth: Number.POSITIVE_INFINITY, coded: 32 },
};
/** Bytes that may decode to any number of bytes up to here. */
const SMALL = 65_536;

type Options = { maxOutputLength: number; finishFlush?: number };

interface Coding {
  undo(bytes: Buffer, options: Options): Buffer;
  /** Coded bytes of a client that are read at most. */
  most: number;
  /** For bytes that are the beginning only. */
  flush: number;
}

const GZIP: Coding = { undo: gunzipSync, most: 1024 * 1024, flush: constants.Z_SYNC_FLUSH };

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', { ...GZIP, undo: inflate }],
  // It can be made to take 2 µs for each byte.
  ['br', { undo: brotliDecompressSync, most: 65_536, flush: constants.BROTLI_OPERATION_FLUSH }],
]);

/**
 * The bytes without their content codings, or undefined where they cannot be had: an unknown coding, more than three of
 * them, broken or cut bytes, or more than the bounds allow: of a client 1 MiB of coded bytes (br: 64 KiB) that become
 * 8 MiB or, beyond 64 KiB, a hundred times as many; of the target 32 MiB (br: 2 MiB) that become 64 MiB.
 *
 * @param coding the value of Content-Encoding; undefined gives the same bytes back
 */
export function undoCodings(bytes: Buffer, coding: string | undefined, sender: Sender): Buffer | undefined {
  if (coding === undefined || bytes.length === 0) return bytes;
  const bounds = BOUNDS[sender];
  const maxOutputLength = Math.min(bounds.decoded, SMALL + bounds.growth * bytes.length);
  try {
    return codingsOf(coding)?.reduceRight<Buffer | undefined>(
      (coded, { undo, most }) =>
        coded && coded.length <= most * bounds.coded ? undo(coded, { maxOutputLength }) : undefined,
      bytes,
    );
  } catch {
    // Broken, cut or too large: the caller keeps the bytes as they came, which loses nothing.
    return undefined;
  }
}

/** What a coded body begins with. */
export interface Beginning {
  bytes: Buffer;
  /** There may be more. */
  cut: boolean;
}

/**
 * The same for showing: of what is too long, the beginning, which is between nothing and `most` bytes. Undefined where
 * the coding is unknown or the bytes are broken.
 */
export function undoCodingsOfStart(
  bytes: Buffer,
  coding: string | undefined,
  most: number,
): Beginning | undefined {
  const whole = { bytes, cut: false };
  if (coding === undefined || bytes.length === 0) return whole;
  try {
    return codingsOf(coding)?.reduceRight<Beginning>((start, one) => undoStart(start, one, most), whole);
  } catch {
    // Nobody can say what they hold.
    return undefined;
  }
}

/**
 * Zlib gives all of the output or none: half of the bytes are left away until it fits. A quarter of what may be coded
 * is more than enough for a beginning.
 */
function undoStart(
  { bytes, cut }: Beginning,
  { undo, most, flush }: Coding,
  maxOutputLength: number,
): Beginning {
  for (let length = Math.min(bytes.length, most / 4); length > 0; length >>= 1) {
    const isWhole = !cut && length === bytes.length;
    try {
      const options = { maxOutputLength, ...(!isWhole && { finishFlush: flush }) };
      return { bytes: undo(bytes.subarray(0, length), options), cut: !isWhole };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    }
  }
  return { bytes: bytes.subarray(0, 0), cut: true };
}

/** In the order of coding; undefined where one is unknown, or there are too many. */
function codingsOf(header: string): Coding[] | undefined {
  const codings: Coding[] = [];
  for (const name of header.split(',').map((part) => part.trim().toLowerCase())) {
    if (name === '' || name === 'identity') continue;
    const coding = CODINGS.get(name);
    if (coding === undefined || codings.push(coding) > MOST_CODINGS) return undefined;
  }
  return codings;
}

/** By the standard `deflate` has a zlib header (RFC 9110 8.4.1.2); some senders leave it out. */
function inflate(bytes: Buffer, options: Options): Buffer {
  const hasHeader =
    ((bytes[0] as number) & 0x0f) === 8 && bytes.length > 1 && bytes.readUInt16BE(0) % 31 === 0;
  return hasHeader ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
}
