import { isUtf8 } from 'node:buffer';

/** Secrets that are known by their looks, whatever stands around them. */

export type Span = { from: number; to: number };

export const SHORTEST_TOKEN = 16;
const LONGEST = 4096;

/** A user in a URL, in a text that may be a string of another. */
const USER = ':\\\\{0,3}/\\\\{0,3}/[^\\s/?#@:"\'<>\\\\[\\]]{0,128}:';
export const IS_IN_URL = new RegExp(`${USER}|@(?:tcp|unix)\\(`);
/** Each alternative begins with a mark, and but for a key in PEM looks at a bounded number of characters behind it; its last group is the secret. */
const MARKED = new RegExp(
  [
    '\\b(basic) {1,3}((?:(?!-{4})[\\w+/=-]){8,4096})',
    '\\b(?:bearer|token) {1,3}((?=[\\w.~+/=:-]{0,256}\\d)(?=[\\w.~+/=:-]{0,256}[a-z])(?:(?!-{4})[\\w.~+/=:-]){16,4096})',
    `${USER}([^\\s/?#@"'<>\\\\[\\]]{1,256})@`,
    // `me:x@tcp(host)`
    ':([^\\s:@/"\']{1,128})@(?=(?:tcp|unix)\\()',
    // Hashes of passwords.
    '(?:\\$(?:2[abxy]|argon2\\w{1,2}|[156y]|apr1|scrypt)|\\bpbkdf2_\\w{1,20})\\$([\\w.,/$=+-]{20,256})',
    '(?:hooks\\.(?:slack|zapier)\\.com|discord(?:app)?\\.com\\\\?/api|webhook\\.office\\.com)\\\\?/(?:services|workflows|triggers|webhookb2|(?:web)?hooks?)\\\\?/([\\w\\\\/@+-]{20,300})',
    // To its end line; all that follows if that is missing.
    '(-{4,5} ?BEGIN[A-Z\\d ]{0,40}PRIVATE KEY[^]*?(?:-{4,5} ?END(?:[^]{0,62}?-{4,5})?|$))',
  ].join('|'),
  'gi',
);
/** Tokens that have no separator behind their prefix, or a tail of another kind. */
const KNOWN = new RegExp(
  [
    '^(?:A(?:KI|SI|BI|CC)A[A-Z2-7]{16}|AA[\\w-]{33}|(?:SK|dapi)[\\da-f]{32}|[\\da-f]{32}-us\\d{1,2}|pat\\w{14}\\.[\\da-f]{64}',
    '(?:hf|gh[pousr]|glc|pplx|bkua|sntry[su]|CLOJARS)[_-][A-Za-z\\d]{30,}|LS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJ|FQyBQUklW|PUEVOU1NI|FTkNSWVBU|RFNBIFBS)\\w{40,}|\\w{3}\\dQ~[\\w.~-]{34}',
    '(?:AIza|EAA[A-Z]|AT[AC]TT3|AKCp|NRAK-|PMAK-|AGE-SECRET-KEY-1|gl[a-z]{1,4}-|xox[a-z]-)[\\w-]{20,}',
    '[\\w-]{12,20}\\.atlasv1\\.[\\w-]{40,}|[MNO][\\w-]{23,27}\\.[\\w-]{6,7}\\.[\\w-]{27,38}|(?:sdk|mob|api|pat-[a-z]{2}\\d)-[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12})$',
  ].join('|'),
);
/** Prefixes of tokens, whose tail may be short or hexadecimal. */
const TOKEN_PREFIX =
  /(?:^|[_.-])(?:(?:\w{0,12}(?:(?<!mon|tur|don)key|secret|tok(?:en)?|api)|\w{0,3}(?:pat|sec)|flwseck|o?auth)s?(?:v?\d{1,3}|prod|live|test|dev|sib)?|shp\w{0,3}|live|test)(?=[_.-]|$)|[_.]v1$|^(?:gh[pousr]|npm|ya29|hv[sb]|sk|rk|pul|rubygems|sbp|sq[0aup]|glsa|SG)/i;
const HASH_PREFIX =
  /^(?:sha\d*|md5|etag|hash|digest|rev|commit|build|urn|uuid|guid|arn|gid|crc\d*|trace|span|req|request|w)$/i;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const LONG_HEX = /^(?=.*\d)(?=.*[a-f])[\da-f]{32,}$/i;
const NAME_END =
  /\.(?:com|net|org|io|dev|app|cloud|internal|local|example|svc|m?js|css|map|png|jpe?g|gif|svg|webp|ico|woff2?|html?|json|ya?ml|txt|md|csv|zip|gz)$/i;

/** The rest of an escape before a word: `\n`, `\u0020`, `%20`. */
export const ESCAPE = /(?<=%)(?:25)*[\da-f]{2}|(?<=\\)(?:[bfnrt]|u[\da-f]{4})/iy;
export const IS_OF_WORD = tableOf(/[\w.~-]/, 0);
/** Base64 may go on behind a `+` or end in `=`. */
const REST = /(?:\+[\w+]{4,256})?={0,2}(?!\w)/y;

/** What looks like a secret; one may lie within another. */
export function secretsIn(text: string): Span[] {
  const found = longWords(text).flatMap((word) => tokenIn(text, word) ?? []);
  for (const match of text.matchAll(MARKED)) {
    const { 0: whole, 1: scheme, index } = match;
    const value = match.findLast((group) => group !== undefined) as string;
    // A port, or what stands for a password.
    if (/^(?:\d{1,5}|\$.*|\{.*|%s)$/.test(value) || (scheme && !isLogin(value))) continue;
    const from = index + whole.lastIndexOf(value);
    found.push({ from, to: from + value.length });
  }
  return found;
}

/** What a sticky pattern matches at a place, or nothing. */
export function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** `user:password` in base64. User or password may be missing. */
export function isLogin(value: string): boolean {
  const bytes = Buffer.from(value, 'base64');
  return isUtf8(bytes) && /^(?=.{4})[^\p{Cc}:]*:\P{Cc}*$/u.test(bytes.toString());
}

/** The words that are long enough for a token: each covers one character of 16. */
export function longWords(text: string): Span[] {
  const words: Span[] = [];
  for (let at = SHORTEST_TOKEN - 1, end = 0; at < text.length; at += SHORTEST_TOKEN) {
    if (at < end || IS_OF_WORD[text.charCodeAt(at)] === 0) continue;
    const word = wordAround(text, at, end, IS_OF_WORD);
    end = word.to;
    if (end - word.from >= SHORTEST_TOKEN) words.push(word);
  }
  return words;
}

/** @param floor it does not begin before @param isOfWord by UTF-16 code unit */
export function wordAround(text: string, at: number, floor: number, isOfWord: Uint8Array): Span {
  let from = at;
  while (from > floor && isOfWord[text.charCodeAt(from - 1)] === 1) from--;
  let to = at + 1;
  while (to < text.length && isOfWord[text.charCodeAt(to)] === 1) to++;
  return { from, to };
}

/** Which characters a pattern means, by UTF-16 code unit. @param beyondAscii whether those of other scripts are meant */
export function tableOf(pattern: RegExp, beyondAscii: number): Uint8Array {
  const table = new Uint8Array(1 << 16).fill(beyondAscii, 128);
  for (let code = 0; code < 128; code++) table[code] = Number(pattern.test(String.fromCharCode(code)));
  return table;
}

export function tokenIn(text: string, word: Span): Span | undefined {
  const from = word.from + matchAt(ESCAPE, text, word.from).length;
  const whole = text.slice(from, word.to).replace(/\.{1,16}$/, '');
  const start = whole.slice(0, LONGEST);
  if (start.length < SHORTEST_TOKEN || !/\d|^(?:A[KS]IA|hf_|gh[pousr]_)/.test(start)) return undefined;
  const isJsonWebToken = /^eyJ[\w-]*\./.test(start) && base64(start).includes('"alg"');
  if (!isJsonWebToken && !KNOWN.test(start) && !hasRandomTail(start)) return undefined;
  const end = from + whole.length;
  return { from, to: end + matchAt(REST, text, end).length };
}

function base64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}

/** A short prefix, a separator, a random tail: `ghp_…`, `sk-proj-…`, `SG.….…`. An id such as `evt_…` has a shorter tail. */
function hasRandomTail(word: string): boolean {
  // Names of pods, hosts and slugs have short pieces.
  if (!/^[A-Za-z][A-Za-z\d]{1,15}[_.-]/.test(word) || !/\w{12}/.test(word)) return false;
  for (const { index } of word.slice(0, 40).matchAll(/[_.-]/g)) {
    const prefix = word.slice(0, index);
    const tail = word.slice(index + 1, index + 600);
    if (tail.length < SHORTEST_TOKEN || HASH_PREFIX.test(prefix)) return false;
    const least = /[_.-]/.test(prefix) ? 16 : 28;
    if (TOKEN_PREFIX.test(prefix) ? takesTurns(tail, 16, 0.2) || LONG_HEX.test(tail) : isRandom(tail, least))
      return true;
  }
  return false;
}

/** Whether a word is random, as tokens are, and names, slugs, ids and hashes are not: letters and digits take turns as dice would have it. */
export function isRandom(word: string, least: number): boolean {
  // Ids that are coded texts: `gid://shopify/Product/1`.
  return takesTurns(word, least) && !/^[ -~]*$/.test(base64(word.slice(0, LONGEST).replace(UUID, '')));
}

/** @param rate turns for each character at least; words in both letter cases take more of them */
function takesTurns(word: string, least: number, rate?: number): boolean {
  if (word.length < least || !/^[\w~+/.-]+={0,2}$/.test(word) || NAME_END.test(word)) return false;
  const text = word.slice(0, LONGEST).replace(UUID, '');
  // Hashes, two of them: `a1b2…...c3d4…`, and ids of the form `AC` and 32 digits.
  const isHash = /^(?:[\da-f_.-]*|[\dA-F_.-]*|[A-Z]{2}[\da-f]{32})$/.test(text);
  if (text.length < least || isHash || !/\d/.test(text)) return false;
  const turns = text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
  // Two patterns: one for both cases would look through the rest of a word from each of its letters.
  const usual = /[a-z]/.test(word) && /[A-Z]/.test(word) ? 0.3 : 0.24;
  return turns >= text.length * (rate ?? usual);
}

/** Whether what may be a secret, by the name before it, is one: random, or hexadecimal digits and as long as no id is. */
export function isOpaque(value: string, least = SHORTEST_TOKEN): boolean {
  return isRandom(value, least) || LONG_HEX.test(value);
}
