/** Secrets that are known by their looks, whatever stands around them. */

export interface Span {
  from: number;
  to: number;
  /** `a JSON Web Token` */
  kind: string;
}

/** Signs of the secrets that are more than a word, besides credentials. */
const MARKS = ['AccountKey=', 'SharedAccessKey=', '-----BEGIN', 'slack.com', 'discord', 'office.com'];
const SCHEMES = /bearer |basic |token /i;
const PASSWORD_IN_URL = /:\\?\/\\?\/[^\s/?#@:"'<>\\[\]]{0,128}:[^\s/]/;

function hasMark(text: string): boolean {
  return (
    MARKS.some((mark) => text.includes(mark)) ||
    SCHEMES.test(text) ||
    (text.includes('@') && PASSWORD_IN_URL.test(text))
  );
}

/** Each alternative begins with a mark, and looks at a bounded number of characters behind it. */
const MARKED = new RegExp(
  [
    '\\b(?<scheme>bearer|basic|token) {1,3}(?<credentials>[\\w.~+/=:-]{8,4096})',
    ':\\\\?/\\\\?/[^\\s/?#@:"\'<>\\\\[\\]]{0,128}:(?<password>[^\\s/?#@"\'<>\\\\[\\]]{1,256})@',
    '(?:Account|SharedAccess)Key=(?<storage>[\\w+/]{32,100}={0,2})',
    '(?:hooks\\.slack\\.com|discord(?:app)?\\.com\\\\?/api|webhook\\.office\\.com)\\\\?/(?:services|workflows|triggers|webhooks|webhookb2)\\\\?/(?<webhook>[\\w\\\\/@+-]{20,300})',
  ].join('|'),
  'gi',
);

/** Whether anything in a text may look like a secret: most have no long word and no mark. */
export function mayHoldSecret(text: string): boolean {
  return hasMark(text) || longWords(text, (from, to) => secretInWord(text, from, to) !== undefined);
}

/** Whether it holds a value that an open name would make a secret. */
export function holdsOpaque(text: string): boolean {
  return longWords(text, (from, to) => isOpaque(text.slice(from, Math.min(to, from + LONGEST)), SHORTEST));
}

/** What looks like a secret, in the order of the text. */
export function secretsIn(text: string): Span[] {
  const found = hasMark(text) ? [...privateKeysIn(text), ...markedIn(text)] : [];
  longWords(text, (from, to) => {
    const span = secretInWord(text, from, to);
    if (span) found.push(span);
    return false;
  });
  return found.length < 2 ? found : found.sort((a, b) => a.from - b.from);
}

/** By their codes: letters, digits and `- . _ ~`. */
const IS_OF_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.~-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Looks at the words of a text that are long enough, until one is taken. A long word covers every 16th character. */
function longWords(text: string, take: (from: number, to: number) => boolean): boolean {
  let end = 0;
  for (let at = SHORTEST - 1; at < text.length; at += SHORTEST) {
    if (at < end || !IS_OF_WORD[text.charCodeAt(at)]) continue;
    let start = at;
    while (start > end && IS_OF_WORD[text.charCodeAt(start - 1)]) start--;
    end = at + 1;
    while (end < text.length && IS_OF_WORD[text.charCodeAt(end)]) end++;
    if (end - start < SHORTEST) continue;
    const from = start + escapeBefore(text, start);
    if (end - from >= SHORTEST && take(from, end)) return true;
  }
  return false;
}

/** Characters of the rest of an escape before a word: `\n`, `\u0020`, `%20`. */
function escapeBefore(text: string, at: number): number {
  const before = text[at - 1];
  if (before === '%') return /^(?:25)*[\da-f]{2}/i.exec(text.slice(at, at + 16))?.[0].length ?? 0;
  if (before !== '\\') return 0;
  return /^(?:[bfnrt]|u[\da-f]{4})/i.exec(text.slice(at, at + 5))?.[0].length ?? 0;
}

const SHORTEST = 16;
const LONGEST = 4096;

/** Tokens that have no separator behind their prefix, or a tail of another kind. */
const KNOWN = new RegExp(
  [
    '^(?:(?<aws>A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16})|(?<google>AIza[\\w-]{35})',
    '(?:SK|dapi|EAA[A-Z]|ATATT3|ATCTT3|ATBB|EZ[AT]K)[\\w-]{30,}',
    '(?:AGE-SECRET-KEY-1|NRAK-|PMAK-|FLWSECK)[\\w-]{20,}',
    'pat\\w{14}\\.[\\da-f]{64}|x(?:ox[a-z]|app)-[\\w-]{16,}|[\\da-f]{32}-us\\d{1,2}',
    '\\d{1,3}\\.atlasv1\\.[\\w-]{40,}|[\\w-]{12,20}\\.atlasv1\\.[\\w-]{40,}',
    '(?:sdk|mob|api|pat-[a-z]{2}\\d|HRKU)-[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}',
    '[MNO][A-Za-z\\d_-]{23,27}\\.[\\w-]{6,7}\\.[\\w-]{27,38})$',
  ].join('|'),
);

function secretInWord(text: string, from: number, to: number): Span | undefined {
  let end = to;
  while (end > from && text[end - 1] === '.') end--;
  const word = text.slice(from, Math.min(end, from + LONGEST));
  if (word.length < SHORTEST || !/\d/.test(word)) return undefined;
  const kind = kindOf(word) ?? (isTelegram(text, from, word) ? 'a token' : undefined);
  return kind === undefined ? undefined : { from, to: endOfPadding(text, end), kind };
}

function kindOf(word: string): string | undefined {
  if (isJsonWebToken(word)) return 'a JSON Web Token';
  const known = KNOWN.exec(word)?.groups;
  if (known) return known.aws ? 'an AWS access key id' : known.google ? 'a Google API key' : 'a token';
  return hasRandomTail(word) ? 'a token' : undefined;
}

/** `1234567890:AA…` */
function isTelegram(text: string, from: number, word: string): boolean {
  return /^AA[\w-]{33}$/.test(word) && /\d{8,10}:$/.test(text.slice(Math.max(0, from - 11), from));
}

/** Base64 may go on behind a `+` or end in `=`. */
function endOfPadding(text: string, end: number): number {
  return end + (/^(?:\+[\w+]{4,256})?={0,2}(?!\w)/.exec(text.slice(end, end + 260))?.[0].length ?? 0);
}

function isJsonWebToken(word: string): boolean {
  if (!word.startsWith('eyJ')) return false;
  const [head = '', ...parts] = word.split('.');
  return parts.length > 0 && base64(head).includes('"alg"');
}

/** What looks like a secret behind a mark. */
function markedIn(text: string): Span[] {
  const found: Span[] = [];
  for (const match of text.matchAll(MARKED)) {
    const { scheme, credentials, password, storage, webhook } = match.groups as Record<string, string>;
    const value = (credentials ?? password ?? storage ?? webhook) as string;
    const from = match.index + match[0].lastIndexOf(value);
    const span = (kind: string) => found.push({ from, to: from + value.length, kind });
    if (scheme !== undefined) {
      if (isCredentials(scheme, value)) span('credentials');
    } else if (password !== undefined) {
      if (!/^(?:\d{1,5}|\$.*|\{.*|%s)$/.test(password)) span('a password in a URL');
    } else span(storage === undefined ? 'the URL of a webhook' : 'a storage key');
  }
  return found;
}

/** Words follow "bearer" too: a token has digits and letters. */
function isCredentials(scheme: string, value: string): boolean {
  if (/basic/i.test(scheme)) return /^[ -9;-~]+:[ -~]+$/.test(base64(value));
  return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value);
}

function base64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}

/** Prefixes of tokens, whose tail may be short or hexadecimal. */
const TOKEN_PREFIX =
  /pat|key|tok|sec|auth|api|shp|[_.]v1$|^(?:gh[pousr]|npm|ya29|hv[sb]|sk|rk|pul|rubygems|shippo|sbp|sq0|glsa|pscale)/i;
/** What ids and hashes begin with. */
const HASH_PREFIX =
  /^(?:sha\d*|md5|etag|hash|digest|rev|commit|build|urn|uuid|guid|arn|gid|crc\d*|trace|span|req|request|w)$/i;

const MOST_OF_TAIL = 600;

/** A short prefix, a separator, a random tail: `ghp_…`, `sk-proj-…`, `SG.….…`. An id such as `evt_…` has a shorter tail. */
function hasRandomTail(word: string): boolean {
  if (!/^[A-Za-z][A-Za-z\d]{1,15}[_.-]/.test(word) || UUID_ALONE.test(word)) return false;
  for (const { index } of word.slice(0, 40).matchAll(/[_.-]/g)) {
    const prefix = word.slice(0, index);
    const tail = word.slice(index + 1, index + MOST_OF_TAIL);
    if (tail.length < SHORTEST || HASH_PREFIX.test(prefix)) return false;
    const isTokens = TOKEN_PREFIX.test(prefix);
    const least = isTokens || /[_.-]/.test(prefix) ? 16 : 28;
    if (isTokens ? takesTurns(tail, least, 0.2) : isRandom(tail, least)) return true;
    if (isTokens && /^[\da-f]{32,}$/i.test(tail) && /\d/.test(tail) && /[a-f]/i.test(tail)) return true;
  }
  return false;
}

/** To its end line; all that follows if that is missing. */
function privateKeysIn(text: string): Span[] {
  const found: Span[] = [];
  for (let from = text.indexOf('-----BEGIN'); from >= 0; from = text.indexOf('-----BEGIN', from + 10)) {
    if (!/^-----BEGIN[A-Z\d ]{0,40}PRIVATE KEY/.test(text.slice(from, from + 70))) continue;
    const end = text.indexOf('-----END', from);
    const dashes = end < 0 ? -1 : text.slice(end + 8, end + 68).indexOf('-----');
    const to = end < 0 ? text.length : dashes < 0 ? end + 8 : end + 13 + dashes;
    found.push({ from, to, kind: 'a private key' });
    from = to;
  }
  return found;
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const UUID_ALONE = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const MIXED = /[a-z].*[A-Z]|[A-Z].*[a-z]/;
const HOST = /^[a-z\d.-]+\.(?:com|net|org|io|dev|app|cloud|internal|local|example|svc)$/;
const ASSET = /\.(?:m?js|css|map|png|jpe?g|gif|svg|webp|ico|woff2?|ttf|html?|json|ya?ml|txt|md|csv|zip|gz)$/i;

/**
 * Whether a word is made of chance alone, as tokens are, and names, slugs, ids, hashes and coded texts are not: letters and
 * digits take turns as often as dice would have it.
 */
export function isRandom(word: string, least: number): boolean {
  // Ids that are coded texts: `gid://shopify/Product/1`.
  return takesTurns(word, least) && !/^[ -~]*$/.test(base64(word.slice(0, LONGEST).replace(UUID, '')));
}

/** @param rate turns for each character at least */
function takesTurns(word: string, least: number, rate = MIXED.test(word) ? 0.3 : 0.24): boolean {
  if (word.length < least || !/^[\w~+/.-]+={0,2}$/.test(word) || ASSET.test(word) || HOST.test(word))
    return false;
  const text = word.slice(0, LONGEST).replace(UUID, '');
  // Hashes, and two of them: `a1b2…...c3d4…`.
  if (text.length < least || /^(?:[\da-f_.-]*|[\dA-F_.-]*)$/.test(text) || !/\d/.test(text)) return false;
  const turns = text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
  return turns >= text.length * rate;
}

/** Whether what may be a secret, by the name before it, is one: random, or hexadecimal digits and as long as no id is. */
export function isOpaque(value: string, least = 20): boolean {
  return (
    isRandom(value, least) || (/^[\da-f]{32,}$/i.test(value) && /\d/.test(value) && /[a-f]/i.test(value))
  );
}

/** Whether it could be a token of any kind. */
export function isLikeToken(value: string): boolean {
  return /^[\w.~+=-]{16,512}$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

const CUT =
  /(?:\b[A-Za-z][A-Za-z\d]{1,15}[_.:=-]|eyJ|A(?:KIA|SIA|BIA|CCA|Iza)|(?:bearer|basic|token) {1,3}|:\\?\/\\?\/)[\w.~+:%/=-]*$/i;
/** Characters at the end of a cut text that are looked at. */
const CUT_WITHIN = 2048;

/** The offset of the secret that a cut text may end in; its length if it ends in none. */
export function beginOfCutSecret(text: string): number {
  const start = Math.max(0, text.length - CUT_WITHIN);
  const index = CUT.exec(text.slice(start))?.index;
  return index === undefined ? text.length : start + index;
}
