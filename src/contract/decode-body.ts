import { decodeContentSync, MOST_CODINGS, type Undecoded } from '../http/decode-content.ts';
import { headerValues, type RawHeaders } from '../http/http.ts';
import type { Finding } from '../model/finding.ts';
import { requestFinding } from './request-rules.ts';

/**
 * Undoes the content codings of a body, for judging only: what is forwarded is what was sent.
 *
 * @param limit bytes that a decoded body may have; one that would grow past it is given up at once
 */
export function decodeBody(body: Buffer, headers: RawHeaders, limit: number): Buffer | Finding {
  const values = headerValues(headers, 'content-encoding');
  if (values.length === 0) return body;
  const bounds = { decoded: limit, growth: Number.POSITIVE_INFINITY, coded: 1, isStrict: true };
  const decoded = decodeContentSync(body, values.join(','), bounds);
  return Buffer.isBuffer(decoded) ? decoded : findingOf(decoded);
}

function findingOf({ why, what, most }: Undecoded): Finding {
  switch (why) {
    case 'too-many-codings':
      return requestFinding('request.content-encoding', `${what} content codings are stacked`, {
        hint: `at most ${MOST_CODINGS} are undone`,
      });
    case 'unknown-coding':
      return requestFinding(
        'request.content-encoding',
        `the content coding ${JSON.stringify(what)} cannot be undone`,
        { hint: 'send the body plain, or with gzip, deflate or br' },
      );
    case 'coded-too-large':
      return requestFinding('request.too-large', `coded with ${what}, the body has more than ${most} bytes`, {
        hint: 'send it plain: so many coded bytes could take too long to decode',
      });
    case 'too-large':
      return tooLarge(`decoded, the body has more than ${most} bytes`);
    case 'broken':
      return requestFinding(
        'request.content-encoding',
        `the body is not what Content-Encoding: ${what} says`,
        { hint: 'code the body as the header says, or leave the header out' },
      );
  }
}

export function tooLarge(message: string): Finding {
  return requestFinding('request.too-large', message, { hint: 'send less, or raise --body-limit' });
}
