import { answerBounds, decodeContentSync, isPastBounds } from '../../http/decode-content.ts';
import {
  type Exchange,
  headerPairs,
  type RecordedResponse,
  type StoredBody,
  type StoredHeaders,
} from '../../model/exchange.ts';
import { bodyBytes, storeBody } from '../body.ts';
import { KnownSecrets } from './known-secrets.ts';
import { redactBody } from './redact-body.ts';
import { contentTypeOf, redactStoredHeaders } from './redact-headers.ts';
import { redactPath, redactQuery } from './redact-url.ts';
import { foundByName, hidingTexts, type OnFound, type Redaction } from './redaction.ts';

/**
 * A whole exchange as it stands in a file. Secret headers of a response go: a placeholder would be replayed as if it were
 * a cookie. What one part shows to be secret is hidden in all others. The path, too: its file has another name then.
 *
 * @param onFound places are `request/query/token`, `response/body/json/user/password`
 */
export function redactExchange(exchange: Exchange, redaction: Redaction, onFound?: OnFound): Exchange {
  const known = new KnownSecrets();
  known.addHeaders(headerPairs(exchange.request.headers).flat(), redaction);
  const clean = redactParts(exchange, redaction, (found) => {
    known.add(found.value);
    onFound?.(found);
  });
  const { texts } = known;
  return texts.length === 0 ? clean : redactParts(clean, hidingTexts(redaction, texts), onFound);
}

function redactParts(exchange: Exchange, redaction: Redaction, onFound?: OnFound): Exchange {
  const { request, response } = exchange;
  const ofRequest = below('request', onFound);
  const ofResponse = below('response', onFound);
  return {
    ...exchange,
    request: {
      ...request,
      path: redactPath(request.path, redaction, 'path', ofRequest),
      query: redactQuery(request.query, redaction, ofRequest),
      ...redactMessage(request, redaction, ofRequest),
    },
    ...(response && {
      response: {
        ...response,
        ...redactMessage(withoutSecretHeaders(response, redaction, ofResponse), redaction, ofResponse),
      },
    }),
  };
}

function below(part: string, onFound: OnFound | undefined): OnFound {
  return (found) => {
    const place = found.place.startsWith('/') ? `body/json${found.place}` : found.place;
    onFound?.({ ...found, place: `${part}/${place}` });
  };
}

const DECODED_AT_MOST = 64 * 1024 * 1024;

interface Message {
  headers: StoredHeaders;
  body?: StoredBody;
}

function redactMessage({ headers, body }: Message, redaction: Redaction, onFound: OnFound): Message {
  const plain = body && withoutCoding(body, headers);
  const { 'content-encoding': coding, ...others } = headers;
  const isDecoded = plain !== body && plain !== undefined && !('omitted' in plain);
  // To look for secrets in coded bytes could only break them.
  const isCoded = plain === body && coding !== undefined && body && 'base64' in body;
  return {
    headers: redactStoredHeaders(isDecoded ? others : headers, redaction, onFound),
    ...(plain && { body: isCoded ? plain : redactBody(plain, contentTypeOf(headers), redaction, onFound) }),
  };
}

/** A body that was kept with its coding: decoded, left out where that is unknown or broken, as it is where it passes the bounds. */
function withoutCoding(body: StoredBody, headers: StoredHeaders): StoredBody {
  const coding = headers['content-encoding'];
  if (coding === undefined || !('base64' in body)) return body;
  const bytes = bodyBytes(body);
  const decoded = decodeContentSync(bytes, [coding].flat().join(','), answerBounds(DECODED_AT_MOST));
  if (Buffer.isBuffer(decoded)) return storeBody(decoded, contentTypeOf(headers)) ?? body;
  return isPastBounds(decoded) ? body : { omitted: bytes.length };
}

function withoutSecretHeaders(
  response: RecordedResponse,
  redaction: Redaction,
  onFound: OnFound,
): RecordedResponse {
  const kept = Object.entries(response.headers).filter(([name, values]) => {
    if (!redaction.headers.has(name)) return true;
    for (const value of [values].flat()) onFound(foundByName(name, `headers/${name}`, value));
    return false;
  });
  return { ...response, headers: Object.fromEntries(kept) };
}
