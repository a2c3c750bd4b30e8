import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { systemCode } from '../errors.ts';
import type { Finding } from '../model/finding.ts';
import { headerValues, type RawHeaders } from '../model/http.ts';
import { requestFinding } from './request-rules.ts';

/** More codings than this on one body are no honest use. */
const MOST_CODINGS = 3;

/**
 * Undoes the content codings of a body, for judging only: what is forwarded is what was sent.
 *
 * @param limit bytes that a decoded body may have; one that would grow past it is given up at once
 */
export function decodeBody(body: Uint8Array, headers: RawHeaders, limit: number): Uint8Array | Finding {
  const values = headerValues(headers, 'content-encoding');
  if (values.length === 0) return body;
  const codings = values
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MOST_CODINGS) {
    return requestFinding('request.content-encoding', `${codings.length} content codings are stacked`, {
      hint: `at most ${MOST_CODINGS} are undone`,
    });
  }
  let decoded = body;
  for (const coding of codings.reverse()) {
    const decoder = DECODERS[coding];
    if (!decoder) {
      return requestFinding(
        'request.content-encoding',
        `the content coding ${JSON.stringify(coding)} cannot be undone`,
        {
          hint: 'send the body plain, or with gzip, deflate or br',
        },
      );
    }
    const { decode, mostBytes } = decoder;
    if (decoded.length > mostBytes) {
      return requestFinding(
        'request.too-large',
        `coded with ${coding}, the body has more than ${mostBytes} bytes`,
        {
          hint: 'send it plain: so many coded bytes could take too long to decode',
        },
      );
    }
    try {
      decoded = decode(decoded, { maxOutputLength: limit });
    } catch (error) {
      if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE')
        return tooLarge(`decoded, the body has more than ${limit} bytes`);
      return requestFinding(
        'request.content-encoding',
        `the body is not what Content-Encoding: ${coding} says`,
        {
          hint: 'code the body as the header says, or leave the header out',
        },
      );
    }
  }
  return decoded;
}

export function tooLarge(message: string): Finding {
  return requestFinding('request.too-large', message, { hint: 'send less, or raise --body-limit' });
}

interface Decoder {
  decode(bytes: Uint8Array, options: { maxOutputLength: number }): Uint8Array;
  /** Coded bytes that are decoded: made to be slow, they take 0.1 µs each in gzip and deflate, 2 µs in br. */
  mostBytes: number;
}

const DECODERS: Readonly<Record<string, Decoder>> = {
  __proto__: null,
  gzip: { decode: gunzipSync, mostBytes: 1_048_576 },
  'x-gzip': { decode: gunzipSync, mostBytes: 1_048_576 },
  br: { decode: brotliDecompressSync, mostBytes: 65_536 },
  deflate: { decode: inflateUnambiguously, mostBytes: 524_288 },
} as unknown as Record<string, Decoder>;

/** `deflate` means the zlib format (RFC 9110 8.4.1.2), but some servers read raw deflate: bytes that are both are refused. */
function inflateUnambiguously(bytes: Uint8Array, options: { maxOutputLength: number }): Uint8Array {
  const inflated = inflateSync(bytes, options);
  try {
    inflateRawSync(bytes, options);
  } catch {
    return inflated;
  }
  throw new Error('valid both with and without the zlib wrapper');
}
