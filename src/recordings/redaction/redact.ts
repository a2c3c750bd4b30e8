import { isUtf8 } from 'node:buffer';
import {
  answerBounds,
  type Beginning,
  decodeContentSync,
  decodeStart,
  isPastBounds,
} from '../../http/decode-content.ts';
import { header, headerValues, type RawHeaders, type RequestHead, splitTarget } from '../../http/http.ts';
import {
  type Exchange,
  headerPairs,
  type KeptBody,
  type StoredBody,
  type StoredHeaders,
} from '../../model/exchange.ts';
import { bodyBytes, storeBody } from '../body.ts';
import { redactJson } from './redact-json.ts';
import { decodePart, encodePart, redactPairs, redactPlain, redactText } from './redact-text.ts';
import { REDACTED } from './redacted.ts';
import {
  type FoundSecret,
  foundByName,
  hidingTexts,
  KnownSecrets,
  type OnFound,
  type Redaction,
} from './redaction.ts';
import { beginOfCutSecret, isLikeToken, isOpaque, isRandom } from './secret-kinds.ts';
import { isSecretParameter } from './secret-names.ts';

/**
 * Redaction: nothing is written or shown before it went through here. Every function gives back the very value that it
 * was given where nothing is to be hidden, and may tell what it hid.
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
    (query === undefined ? '' : `?${redactPairs(query, redaction, 'query', onFound)}`) +
    // Some sign-in flows send tokens back in the fragment.
    (fragment === undefined ? '' : `#${redactPairs(fragment, redaction, 'fragment', onFound)}`)
  );
}

/** A query without its `?`. */
export function redactQuery(query: string, redaction: Redaction, onFound?: OnFound): string {
  return query === '' ? query : redactPairs(query, redaction, 'query', onFound);
}

/** What a token follows in a path, besides the names of secrets: `/environments/KEY`, `/reset/TOKEN`. */
const BEFORE_TOKEN =
  /^(?:environments?|env|sdk|datafiles?|keys?|invites?|invitations?|reset|activate|verify|confirm|unsubscribe)$/i;
/** A path may hold a URL, whose parts are no segments of it. */
const USER_INFO = /(:\/\/)([^/?#@\s]*:[^/?#@\s]+)(?=@)/g;
const MAY_HAVE_TOKEN = /\/[^/]{16}|[%;]/;
/** Characters of a token that nothing else tells. */
const LEAST_RANDOM = 32;
const LEAST_FOLLOWING = 16;

/**
 * A path without its query. A secret is known by its looks, by the name before it (`;token=…`, `/tokens/…`), or because
 * another message has named it.
 */
export function redactPath(path: string, redaction: Redaction, place = 'path', onFound?: OnFound): string {
  if (!(MAY_HAVE_TOKEN.test(path) || redaction.mayBeInRecurring(path))) return path;
  const named = redaction.detects ? path.replace(USER_INFO, hideUserInfo) : path;
  let before = '';
  const segments = named.split('/').map((segment) => {
    const plain = decodePart(segment.replaceAll('+', '%2B'));
    const follows = before;
    before = plain;
    let clean = redactText(plain, redaction, place, onFound);
    if (clean === plain && isToken(plain, follows)) {
      onFound?.({ what: 'a token', place, isDetected: true, value: plain });
      clean = REDACTED;
    }
    if (clean === plain) return plain === REDACTED ? REDACTED : segment;
    return plain === segment || clean === REDACTED ? clean : encodePart(clean);
  });
  return segments.join('/');

  function isToken(plain: string, follows: string): boolean {
    const { detects, given, members } = redaction;
    if (given.has(plain)) return true;
    if (!detects || plain.length < LEAST_FOLLOWING || plain === REDACTED) return false;
    if (isRandom(plain, LEAST_RANDOM)) return true;
    return (BEFORE_TOKEN.test(follows) || members.has(follows)) && isOpaque(plain, LEAST_FOLLOWING);
  }

  function hideUserInfo(all: string, before: string, value: string): string {
    if (value === REDACTED) return all;
    onFound?.({ what: 'a password in a URL', place, isDetected: true, value });
    return before + REDACTED;
  }
}

/** The path itself, and each one that it is if one of its segments is a token. */
export function pathsWithToken(path: string): string[] {
  const segments = path.split('/');
  const others = segments.flatMap((segment, i) =>
    isLikeToken(decodePart(segment)) ? [segments.with(i, REDACTED).join('/')] : [],
  );
  return [path, ...others];
}

/** Headers whose value is a URL. */
const URL_HEADERS: ReadonlySet<string> = new Set(['location', 'content-location', 'referer']);

/** Headers for showing: each stays, with the placeholder where its value is secret. */
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
    const name = headers[i] as string;
    const value = headers[i + 1] as string;
    if (!URL_HEADERS.has(name) && !redaction.headers.has(name) && !redaction.mayBeInRecurring(value))
      continue;
    const cleanValue = redactHeader(name, value, redaction, onFound);
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
  if (URL_HEADERS.has(name)) return redactUrl(value, redaction, place, onFound);
  return redactText(value, redaction, place, onFound);
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

/** Whether the media type is that of forms whose parts have heads of their own. */
export function isMultipart(contentType = ''): boolean {
  return /^\s*multipart\//i.test(contentType);
}

const IS_CODE = /(?:java|ecma|type)script|html|\/css|wasm|svg|\/x-(?:python|sh|ruby|php)/i;

/** The bytes of a body without content codings. Most hold nothing to hide, which one look at them shows. */
export function redactBytes(
  bytes: Buffer,
  contentType: string | undefined,
  redaction: Redaction,
  onFound?: OnFound,
): Buffer {
  if (bytes.length === 0) return bytes;
  const isParts = isForm(contentType) || isMultipart(contentType);
  // Patterns are written for letters, not for their bytes.
  if (!isParts && redaction.patterns.length === 0 && !redaction.mayBeIn(bytes.toString('latin1')))
    return bytes;
  const stored = storeBody(bytes, contentType) as KeptBody;
  if ('json' in stored) {
    const json = redactJson(stored.json, redaction, onFound);
    return json === stored.json ? bytes : bodyBytes({ ...stored, json });
  }
  // Bytes that are no UTF-8 are read as Latin-1, where every byte stays what it is.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
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
    const text = redactContent(body.text, contentType, redaction, onFound);
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
  if (isMultipart(contentType)) return redactMultipart(text, redaction, onFound);
  const clean = redactText(text, redaction, 'body', onFound);
  // Some tools say so of everything, JSON too: hence after all else.
  return isForm(contentType) ? redactPairs(clean, redaction, 'body', onFound) : clean;
}

/**
 * The beginning of a body for showing, without its content codings. Where these cannot be undone it cannot be said what it
 * holds: the placeholder alone.
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

/** Without what is torn at the end: a character, or what may be the beginning of a secret. */
function withoutTorn(bytes: Buffer): Buffer {
  const whole = wholeCharacters(bytes);
  return whole.subarray(0, beginOfCutSecret(whole.toString('latin1')));
}

/** Without the beginning of a UTF-8 character at the end, where that makes it a text. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let missing = 0; missing < 4; missing++) {
    const shorter = bytes.subarray(0, bytes.length - missing);
    if (isUtf8(shorter)) return shorter;
  }
  return bytes;
}

/** Characters of a part's head that are read. */
const LONGEST_HEAD = 4096;

/** The file's name may hold whatever reads as a name. */
const FILE_NAME = /\bfilename\*?\s{0,8}=\s{0,8}(?:"[^"\r\n]*"|[^;\r\n]*)/gi;
const NAME = /\bname\s{0,8}=\s{0,8}(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^;\s]+))/i;
/** RFC 5987: with its character set and language. */
const CODED_NAME = /\bname\*\s{0,8}=\s{0,8}[\w-]*'[\w-]*'([^;\s]+)/i;

/**
 * A form of parts (RFC 7578): those with a secret name keep their head, all others are texts. Each part begins behind a
 * line that begins with the first line of all.
 */
function redactMultipart(text: string, redaction: Redaction, onFound?: OnFound): string {
  const delimiter = /(?:^|\n)(--[^\r\n]{1,200})/.exec(text.slice(0, LONGEST_HEAD))?.[1];
  if (delimiter === undefined) return redactText(text, redaction, 'body', onFound);
  const parts = text.split(delimiter);
  return parts.map((part) => redactPart(part, redaction, onFound)).join(delimiter);
}

function redactPart(part: string, redaction: Redaction, onFound: OnFound | undefined): string {
  const blank = /\r?\n\r?\n/.exec(part.slice(0, LONGEST_HEAD));
  if (!blank) return redactText(part, redaction, 'body', onFound);
  const start = blank.index + blank[0].length;
  const end = part.length - (/\r?\n$/.exec(part.slice(-2))?.[0].length ?? 0);
  const head = part.slice(0, start);
  const value = part.slice(start, end);
  const name = nameIn(head);
  const place = name === undefined ? 'body' : `body/${name}`;
  if (name !== undefined && isSecretParameter(name, value, value, redaction.members)) {
    if (value !== REDACTED) onFound?.(foundByName(name, place, value));
    return head + REDACTED + part.slice(end);
  }
  const isBase64 = /^content-transfer-encoding:\s*base64/im.test(head);
  const plain = isBase64 ? Buffer.from(value, 'base64').toString('latin1') : value;
  const redacted = redactText(plain, redaction, place, onFound);
  // A placeholder that is coded itself is none, and matches nothing.
  const clean = redacted === plain ? value : isBase64 ? REDACTED : redacted;
  return redactText(head, redaction, 'body', onFound) + clean + part.slice(end);
}

function nameIn(head: string): string | undefined {
  const coded = CODED_NAME.exec(head)?.[1];
  if (coded !== undefined) return decodePart(coded);
  const found = NAME.exec(head.replace(FILE_NAME, ''));
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

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

/** A body that was kept with its coding is decoded; left out where that cannot be done. */
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

/** Notices in one run: a hundred of them are enough to read. */
const MOST_NOTICES = 100;

/** Tells of values that look like secrets, once for each kind and place, without the values. */
export class SecretNotices {
  readonly #notice: (text: string) => void;
  readonly #told = new Set<string>();

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  /** @param of whose exchange it was found in */
  tell({ what, place, isDetected }: FoundSecret, { method, url }: RequestHead, redaction: Redaction): void {
    if (!isDetected || this.#told.size > MOST_NOTICES) return;
    const path = redactPath(splitTarget(url).path, redaction);
    // One place in the records of a kind, whatever their ids.
    const kind = [what, place, method, path].join(' ').replace(/\/\d+(?=\/| |$)/g, '/*');
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    if (this.#told.size > MOST_NOTICES) {
      this.#notice('further values that look like secrets are redacted without a word');
      return;
    }
    const name = /[^/]+$/.exec(place)?.[0] ?? place;
    const advice = /^(?:path|body|\d+)$/.test(name) ? '' : `; name the field with --redact ${name}`;
    this.#notice(`redacted ${what} in ${place} of ${method} ${path}${advice}`);
  }
}
