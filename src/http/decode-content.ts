import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import pLimit from 'p-limit';

/** A body without its content codings, or why it cannot be had. */
export type Decoded = Buffer | Undecoded;

export interface Undecoded {
  /** `coded-too-large`, `too-large`: past the bounds, so it may well be what it says. */
  why: 'too-many-codings' | 'unknown-coding' | 'coded-too-large' | 'too-large' | 'broken';
  /** The name of the coding; how many there are, if these are too many. */
  what: string;
  /** Bytes that would have been allowed. */
  most: number;
}

/** Decoding may cost a thousand times the bytes that were sent: it has its bounds, whatever those of a body. */
export interface Bounds {
  /** Bytes that a body is decoded to at most. */
  decoded: number;
  /** How often a body may be as long as its coded bytes, beyond 64 KiB. */
  growth: number;
  /** A factor of the coded bytes that are read: of a request these are few, since all others wait for it. */
  coded: number;
  /** What another reader could decode in another way counts as broken. */
  isStrict?: boolean;
}

/** More codings on one body are no honest use. */
export const MOST_CODINGS = 3;
/** Bytes that may decode to any number of bytes up to here. */
const SMALL = 65_536;

/** Of a request's body that is kept or compared. */
export const REQUEST_BOUNDS: Bounds = { decoded: 8 * 1024 * 1024, growth: 100, coded: 1 };

/** Of what a target has answered. */
export const answerBounds = (decoded: number): Bounds => ({ decoded, growth: 100, coded: 32 });

/** Of an answer that the guard reads. */
export const LEARNING_BOUNDS: Bounds = answerBounds(8 * 1024 * 1024);

type Options = { maxOutputLength: number };

interface Coding {
  now(bytes: Uint8Array, options: Options, isStrict?: boolean): Buffer;
  later(bytes: Uint8Array, options: Options): Promise<Buffer>;
  /** Coded bytes of a request that are read at most: made to be slow, they take 0.1 µs each, in br 2 µs. */
  most: number;
}

const [inflateLater, inflateRawLater] = [promisify(zlib.inflate), promisify(zlib.inflateRaw)];

const GZIP: Coding = { now: strictly(zlib.gunzipSync), later: promisify(zlib.gunzip), most: 1_048_576 };
const DEFLATE: Coding = {
  now: (bytes, options, isStrict) =>
    isStrict
      ? inflateUnambiguously(bytes, options)
      : (hasZlibHeader(bytes) ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options),
  later: (bytes, options) => (hasZlibHeader(bytes) ? inflateLater : inflateRawLater)(bytes, options),
  // Strictly, it is decoded twice.
  most: 524_288,
};
const BROTLI: Coding = {
  now: strictly(zlib.brotliDecompressSync),
  later: promisify(zlib.brotliDecompress),
  most: 65_536,
};

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', DEFLATE],
  ['br', BROTLI],
]);

/** Strictly, nothing stands behind the end: some readers go on there. */
function strictly(decode: (bytes: Uint8Array, options: zlib.ZlibOptions) => Buffer): Coding['now'] {
  return (bytes, options, isStrict) => {
    if (!isStrict) return decode(bytes, options);
    const told = decode(bytes, { ...options, info: true }) as unknown as {
      buffer: Buffer;
      engine: zlib.Gunzip;
    };
    if (told.engine.bytesWritten < bytes.length) throw new Error('bytes stand behind the end');
    return told.buffer;
  };
}

/** By the standard `deflate` has a zlib header (RFC 9110 8.4.1.2); some senders leave it out. */
function hasZlibHeader(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && bytes.length > 1 && ((first << 8) | second) % 31 === 0;
}

/** Some servers read raw deflate: bytes that are both, or that alone, are refused. */
function inflateUnambiguously(bytes: Uint8Array, options: Options): Buffer {
  const inflated = strictly(zlib.inflateSync)(bytes, options, true);
  try {
    zlib.inflateRawSync(bytes, options);
  } catch {
    return inflated;
  }
  throw new Error('valid both with and without the zlib wrapper');
}

/**
 * Undoes the content codings of an answer, in the thread pool and a few at a time. What has none is given back at once.
 *
 * @param coding the value of Content-Encoding
 */
export function decodeContent(
  bytes: Buffer,
  coding: string | undefined,
  bounds: Bounds,
): Decoded | Promise<Decoded> {
  if (coding === undefined || bytes.length === 0) return bytes;
  const steps = stepsOf(coding);
  if (!Array.isArray(steps) || steps.length === 0) return Array.isArray(steps) ? bytes : steps;
  const options = optionsFor(bytes, bounds);
  return inTurn(async () => {
    let decoded = bytes;
    for (const step of steps) {
      const excess = excessOf(decoded, step, bounds);
      if (excess) return excess;
      try {
        decoded = await step.later(decoded, options);
      } catch (error) {
        return failureOf(error, step.name, options);
      }
    }
    return decoded;
  });
}

/** The same at once, for small bodies, or if no clients wait. */
export function decodeContentSync(bytes: Buffer, coding: string | undefined, bounds: Bounds): Decoded {
  if (coding === undefined || (bytes.length === 0 && !bounds.isStrict)) return bytes;
  const steps = stepsOf(coding);
  if (!Array.isArray(steps)) return steps;
  const options = optionsFor(bytes, bounds);
  let decoded = bytes;
  for (const step of steps) {
    const excess = excessOf(decoded, step, bounds);
    if (excess) return excess;
    try {
      decoded = step.now(decoded, options, bounds.isStrict);
    } catch (error) {
      return failureOf(error, step.name, options);
    }
  }
  return decoded;
}

/** Each may take its bound of memory and a thread, of which Node has four. */
const inTurn = pLimit(3);

type Step = Coding & { name: string };

/** In the order of decoding. */
function stepsOf(header: string): Step[] | Undecoded {
  const names = header
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MOST_CODINGS)
    return { why: 'too-many-codings', what: String(names.length), most: MOST_CODINGS };
  const unknown = names.findLast((name) => !CODINGS.has(name));
  if (unknown !== undefined) return { why: 'unknown-coding', what: unknown, most: 0 };
  return names.reverse().map((name) => ({ name, ...(CODINGS.get(name) as Coding) }));
}

function excessOf({ length }: Buffer, { name, most }: Step, { coded }: Bounds): Undecoded | undefined {
  return length > most * coded ? { why: 'coded-too-large', what: name, most: most * coded } : undefined;
}

/** The bytes as sent count: of several codings, each could multiply what the one before has made. */
function optionsFor(bytes: Buffer, { decoded, growth }: Bounds): Options {
  return { maxOutputLength: Math.min(decoded, SMALL + growth * bytes.length) };
}

function failureOf(error: unknown, what: string, { maxOutputLength: most }: Options): Undecoded {
  const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  return { why: isTooLarge ? 'too-large' : 'broken', what, most };
}
