import { isUtf8 } from 'node:buffer';
import {
  answerBounds,
  type Beginning,
  decodeContentSync,
  decodeStart,
  isPastBounds,
} from '../../http/decode-content.ts';
import { header, headerValues, type RawHeaders } from '../../http/http.ts';
import {
  type Exchange,
  headerPairs,
  type KeptBody,
  type StoredBody,
  type StoredHeaders,
} from '../../model/exchange.ts';
import { bodyBytes, storeBody } from '../body.ts';
import { decodePart, mayHoldAny } from './name-before.ts';
import { redactJsonText } from './redact-json.ts';
import { hiddenApart, redactPlain } from './redact-plain.ts';
import { encodePart, redactJson, redactPairs, redactText } from './redact-text.ts';
import { isRedacted, REDACTED } from './redacted.ts';
import {
  type FoundSecret,
  foundByName,
  hidingTexts,
  KnownSecrets,
  type OnFound,
  type Redaction,
  rememberPlain,
} from './redaction.ts';
import { beginOfCutSecret, isLikeToken, isOpaque, isRandom } from './shapes.ts';

/**
 * Redaction of messages. Nothing is written or shown before it went through here. Every function gives back the very value that it was
 * given if nothing is to be hidden, and may tell what it hid.
 */
export { type FoundSecret, type OnFound, redactJson, redactText };

/** A URL or request target, of any form, without secret query members and without `user:password@`. */
export function redactUrl(url: string, redaction: Redaction, place = 'url', onFound?: OnFound): string {
  const [authority = ''] = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*/i.exec(url) ?? [];
  const rest = url.slice(authority.length);
  const [, path = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/.exec(rest) ?? [];
  return (
    authority.replace(/\/\/[\s\S]*@/, `//${REDACTED}@`) +
    redactPath(path, redaction, `${place}/path`, onFound) +
    (query === undefined ? '' : `?${redactQuery(query, redaction, onFound)}`) +
    // Some sign-in flows send tokens back in the fragment.
    (fragment === undefined ? '' : `#${redactPairs(fragment, redaction, 'fragment', onFound)}`)
  );
}

/** A query without its `?`. */
export function redactQuery(query: string, redaction: Redaction, onFound?: OnFound): string {
  return query === '' ? query : redactPairs(query, redaction, 'query', onFound, hiddenApart);
}

/** A token follows these in a path, and the names of secrets: `/environments/KEY`, `/reset/TOKEN`. */
const BEFORE_TOKEN =
  /^(?:environments?|env|sdk|datafiles?|keys?|invites?|invitations?|reset|activate|verify|confirm|unsubscribe|bot|hooks?|webhooks?|share)$/i;
/** A path may hold a URL, whose parts are no segments of it. */
const USER_INFO = /(:\/\/)([^/?#@\s]*:[^/?#@\s]+)(?=@)/g;
/** Characters of a token that nothing else tells. */
const LEAST_RANDOM = 32;
const LEAST_FOLLOWING = 16;

/**
 * A path without its query. A secret is known by its looks, by the name before it (`;token=…`, `/tokens/…`), or because another message
 * has named it.
 */
export function redactPath(path: string, redaction: Redaction, place = 'path', onFound?: OnFound): string {
  if (redaction.plain.has(path)) return path;
  const named = redaction.detects ? path.replace(USER_INFO, hideUserInfo) : path;
  let before = '';
  const segments = named.split('/').map((segment) => {
    const plain = decodePart(segment.replaceAll('+', '%2B'));
    const follows = before;
    before = plain;
    if (isRedacted(plain)) return plain;
    const clean = plain.includes(';')
      ? redactParameters(plain, redaction, place, onFound)
      : redactText(plain, redaction, place, onFound, hiddenApart);
    if (clean !== plain) return plain === segment ? clean : encodePart(clean);
    if (!isToken(plain, follows)) return segment;
    onFound?.({ what: 'a token', place, isDetected: true, value: plain });
    return hiddenApart(plain);
  });
  const result = segments.join('/');
  if (result === path && redaction.given.size === 0) rememberPlain(redaction, path);
  return result;

  function isToken(plain: string, follows: string): boolean {
    const { detects, given, members } = redaction;
    if (given.has(plain)) return true;
    if (!detects || plain.length < LEAST_FOLLOWING) return false;
    if (isRandom(plain, LEAST_RANDOM)) return true;
    return (BEFORE_TOKEN.test(follows) || members.has(follows)) && isOpaque(plain, LEAST_FOLLOWING);
  }

  function hideUserInfo(all: string, before: string, value: string): string {
    if (isRedacted(value)) return all;
    onFound?.({ what: 'a password in a URL', place, isDetected: true, value });
    return before + REDACTED;
  }
}

/** `a;jsessionid=x` */
function redactParameters(segment: string, redaction: Redaction, place: string, onFound?: OnFound): string {
  return segment
    .split(';')
    .map((part) => redactPairs(part, redaction, place, onFound))
    .join(';');
}

/** The path itself, and each one that it is if one of its segments is a token. */
export function pathsWithToken(path: string): string[] {
  const segments = path.split('/');
  const others = segments.flatMap((segment, i) => {
    const plain = decodePart(segment);
    return isLikeToken(plain) ? [segments.with(i, hiddenApart(plain)).join('/')] : [];
  });
  return [path, ...others];
}

/** Headers whose value is a URL. */
const URL_HEADERS: ReadonlySet<string> = new Set(['location', 'content-location', 'referer']);
/** Headers whose value only names something, in the shape of a token. */
const ID_HEADER = /(?:^|-)(?:id|etag|ray|if-none-match|if-match|traceparent|tracestate|b3)$/;

/** Headers for showing: each stays, with the placeholder if its value is secret. */
export function redactRawHeaders(headers: RawHeaders, redaction: Redaction): string[] {
  return headers.map((text, i) =>
    i % 2 === 0 ? text : redactHeader((headers[i - 1] as string).toLowerCase(), text, redaction),
  );
}

/** The same for names in lower case. */
export function redactFlatHeaders(
  headers: readonly string[],
  redaction: Redaction,
  onFound?: OnFound,
): readonly string[] {
  let clean: string[] | undefined;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const value = headers[i + 1] as string;
    const cleanValue = redactHeader(headers[i] as string, value, redaction, onFound);
    if (cleanValue === value) continue;
    clean ??= headers.slice();
    clean[i + 1] = cleanValue;
  }
  return clean ?? headers;
}

/** Those that are kept with an exchange. */
export function redactStoredHeaders(
  headers: StoredHeaders,
  redaction: Redaction,
  onFound?: OnFound,
): StoredHeaders {
  const clean = Object.entries(headers).map(([name, values]): [string, string | string[]] => {
    const redact = (value: string) => redactHeader(name, value, redaction, onFound);
    return [name, typeof values === 'string' ? redact(values) : values.map(redact)];
  });
  return Object.fromEntries(clean);
}

/** One header's value. The name is given in lower case. */
export function redactHeader(name: string, value: string, redaction: Redaction, onFound?: OnFound): string {
  const place = `headers/${name}`;
  if (redaction.headers.has(name)) {
    if (value !== REDACTED) onFound?.(foundByName(name, place, value));
    return REDACTED;
  }
  if (redaction.plain.has(value)) return value;
  if (URL_HEADERS.has(name)) return redactUrl(value, redaction, place, onFound);
  if (ID_HEADER.test(name) && redaction.patterns.length + redaction.texts.length === 0) return value;
  const clean = redactText(value, redaction, place, onFound);
  if (clean === value) rememberPlain(redaction, value);
  return clean;
}

/** The content codings of all headers that name some: some send one for each, or the same twice. */
export function codingOf(headers: RawHeaders): string | undefined {
  const values = headerValues(headers, 'content-encoding');
  return values.length === 0 ? undefined : values.join(',');
}

/** The media type that stored headers say, or undefined. */
export function contentTypeOf(headers: StoredHeaders): string | undefined {
  const value = headers['content-type'];
  return typeof value === 'string' ? value : value?.[0];
}

/** Whether the media type is that of forms, whose names stand without quotes. */
export function isForm(contentType = ''): boolean {
  return /^\s*application\/x-www-form-urlencoded\b/i.test(contentType);
}

const IS_CODE = /(?:java|ecma|type)script|html|\/css|wasm|svg|\/x-(?:python|sh|ruby|php)/i;

/** Its texts may be written in ways that only its structure tells. */
const IS_CODED = /form|multipart/i;

/** The bytes of a body without content codings. */
export function redactBytes(
  bytes: Buffer,
  contentType: string | undefined,
  redaction: Redaction,
  onFound?: OnFound,
): Buffer {
  if (bytes.length === 0) return bytes;
  // Bytes that are no UTF-8 are read as Latin-1, in which every byte stays the same.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const isPlain = text.length === bytes.length && encoding === 'utf8' && !IS_CODED.test(contentType ?? '');
  if (isPlain && !mayHoldAny(text, redaction)) return bytes;
  const clean = redactContent(text, contentType, redaction, onFound);
  return clean === text ? bytes : Buffer.from(clean, encoding);
}

/** A body that is kept with its exchange, without content codings. */
export function redactBody<Body extends StoredBody>(
  body: Body,
  contentType: string | undefined,
  redaction: Redaction,
  onFound?: OnFound,
): Body | KeptBody {
  if ('json' in body) {
    const json = redactJson(body.json, redaction, onFound);
    return json === body.json ? body : { ...body, json };
  }
  if ('text' in body) {
    // A file has no places within a text.
    const found = onFound && ((one: FoundSecret) => onFound({ ...one, place: 'body' }));
    const text = redactContent(body.text, contentType, redaction, found);
    return text === body.text ? body : { text };
  }
  if (!('base64' in body)) return body;
  const bytes = Buffer.from(body.base64, 'base64');
  const clean = redactBytes(bytes, contentType, redaction, onFound);
  return clean === bytes ? body : { base64: clean.toString('base64') };
}

function redactContent(
  text: string,
  contentType: string | undefined,
  redaction: Redaction,
  onFound?: OnFound,
): string {
  if (contentType !== undefined && IS_CODE.test(contentType))
    return redactPlain(text, redaction, 'body', onFound);
  if (!isForm(contentType)) return redactText(text, redaction, 'body', onFound);
  // Some tools say so of everything, JSON too.
  return (
    redactJsonText(text, redaction, redactText, 'body', onFound) ??
    redactPairs(text, redaction, 'body', onFound)
  );
}

/**
 * The beginning of a body for showing, without its content codings. If these cannot be undone, nobody can say what it holds: the
 * placeholder alone.
 *
 * @param most bytes that are looked at, and shown unless placeholders make it longer
 * @param isCut the bytes are not all of the body
 */
export function redactBodyStart(
  bytes: Buffer,
  headers: RawHeaders,
  most: number,
  isCut: boolean,
  redaction: Redaction,
  onFound?: OnFound,
): Beginning {
  // Twice as much: of what is too long, only half may be had.
  const plain = decodeStart(bytes, codingOf(headers), 2 * most);
  if (plain === undefined) return { bytes: Buffer.from(REDACTED), cut: isCut };
  const cut = isCut || plain.cut || plain.bytes.length > most;
  const start = cut ? withoutTorn(plain.bytes.subarray(0, most)) : plain.bytes;
  return { bytes: redactBytes(start, header(headers, 'content-type'), redaction, onFound), cut };
}

/** Without what is torn at the end: a character, or the beginning of a secret. */
function withoutTorn(bytes: Buffer): Buffer {
  const whole = wholeCharacters(bytes);
  return whole.subarray(0, beginOfCutSecret(whole.toString('latin1')));
}

/** Without the beginning of a UTF-8 character at the end, if that makes it a text. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let missing = 0; missing < 4; missing++) {
    const shorter = bytes.subarray(0, bytes.length - missing);
    if (isUtf8(shorter)) return shorter;
  }
  return bytes;
}

/**
 * A whole exchange as it stands in a file. Secret headers of a response go: a placeholder would be replayed as if it were a cookie. A
 * secret of one part is hidden in all others.
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
  const below = (part: string): OnFound | undefined =>
    onFound &&
    ((found) => {
      const place = found.place.startsWith('/') ? `body/json${found.place}` : found.place;
      onFound({ ...found, place: `${part}/${place}` });
    });
  const [ofRequest, ofResponse] = [below('request'), below('response')];
  return {
    ...exchange,
    request: {
      ...request,
      path: redactPath(request.path, redaction, 'path', ofRequest),
      query: redactQuery(request.query, redaction, ofRequest),
      ...redactMessage(request, redaction, ofRequest),
    },
    ...(response && {
      response: { ...response, ...redactMessage(withoutSecretHeaders(response), redaction, ofResponse) },
    }),
  };

  function withoutSecretHeaders(message: Message): Message {
    const kept = Object.entries(message.headers).filter(([name, values]) => {
      if (!redaction.headers.has(name)) return true;
      for (const value of [values].flat()) ofResponse?.(foundByName(name, `headers/${name}`, value));
      return false;
    });
    return { ...message, headers: Object.fromEntries(kept) };
  }
}

/** Of an answer that is kept. */
export const ANSWER_BOUNDS = answerBounds(64 * 1024 * 1024);

interface Message {
  headers: StoredHeaders;
  body?: StoredBody;
}

/** A body that was kept with its coding is decoded, or left out if that cannot be done. */
function redactMessage({ headers, body }: Message, redaction: Redaction, onFound?: OnFound): Message {
  const { 'content-encoding': coding, ...others } = headers;
  if (coding === undefined || body === undefined || !('base64' in body))
    return {
      headers: redactStoredHeaders(headers, redaction, onFound),
      ...(body && { body: redactBody(body, contentTypeOf(headers), redaction, onFound) }),
    };
  const bytes = bodyBytes(body);
  const decoded = decodeContentSync(bytes, [coding].flat().join(','), ANSWER_BOUNDS);
  const isDecoded = Buffer.isBuffer(decoded);
  const plain = isDecoded ? storeBody(decoded, contentTypeOf(headers)) : undefined;
  if (plain) return redactMessage({ headers: others, body: plain }, redaction, onFound);
  // To look for secrets in coded bytes could only break them.
  const kept = isDecoded || isPastBounds(decoded) ? body : { omitted: bytes.length };
  return { headers: redactStoredHeaders(headers, redaction, onFound), body: kept };
}
