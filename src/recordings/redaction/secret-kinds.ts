/** A secret in a text: from one offset to before another. */
interface SecretSpan {
  from: number;
  to: number;
  /** `a GitHub token` */
  kind: string;
}

/** Of a match: where the secret is in it; undefined: it is none. */
type Judge = (text: string, from: number, to: number) => { from: number; to: number } | undefined;

interface Kind {
  kind: string;
  /** Always consumes what it looked at, or looks at a bounded number of characters: no text costs more than one pass. */
  pattern: string;
  judge?: Judge;
}

/**
 * Shapes of secrets that are well known and told from ids, hashes and images by more than their length. The patterns
 * are those that the services publish, as gitleaks and detect-secrets have them.
 */
const KINDS: readonly Kind[] = [
  { kind: 'an AWS access key id', pattern: 'A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}' },
  { kind: 'a Google API key', pattern: 'AIza[\\w-]{35}' },
  { kind: 'a GitHub token', pattern: 'gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\\w{22,255}' },
  { kind: 'a GitLab token', pattern: 'gl(?:pat|dt|rt|ptt|cbt|soat)-[\\w-]{20,300}' },
  { kind: 'a Slack token', pattern: 'x(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,300}' },
  { kind: 'a Stripe key', pattern: '(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,255}' },
  { kind: 'an npm token', pattern: 'npm_[A-Za-z0-9]{36}' },
  { kind: 'a PyPI token', pattern: 'pypi-[\\w-]{50,300}' },
  { kind: 'a Docker token', pattern: 'dckr_pat_[\\w-]{20,100}' },
  { kind: 'a DigitalOcean token', pattern: 'do[opr]_v1_[a-f0-9]{64}' },
  { kind: 'a Shopify token', pattern: 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}' },
  { kind: 'a Hugging Face token', pattern: 'hf_[A-Za-z0-9]{34}' },
  { kind: 'a Vault token', pattern: 'hv[sb]\\.[\\w-]{24,300}' },
  {
    kind: 'a Slack webhook',
    pattern: 'hooks\\.slack\\.com\\\\?/(?:services|workflows|triggers)\\\\?/[\\w\\\\/+-]{20,200}',
  },
  { kind: 'an Azure storage key', pattern: 'AccountKey=[A-Za-z0-9+/]{32,100}={0,2}' },
  { kind: 'a SendGrid key', pattern: 'SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}' },
  {
    kind: 'an API key of an AI service',
    pattern: 'sk-(?:(?:proj|svcacct|admin|or-v1|ant-[a-z]{3,8}\\d\\d)-[\\w-]{20,300}|[A-Za-z0-9]{32,100})',
  },
  { kind: 'a Google OAuth token', pattern: 'ya29\\.[\\w-]{20,2000}|GOCSPX-[\\w-]{28}' },
  { kind: 'a JSON Web Token', pattern: 'eyJ[\\w-]{8,}', judge: jsonWebToken },
  {
    kind: 'bearer credentials',
    pattern: '(?:[Bb]earer|BEARER) {1,3}[\\w.~+/-]{16,}={0,2}',
    // Words follow "bearer" too: a token has digits and letters.
    judge: credentials((token) => /\d/.test(token) && /[A-Za-z]/.test(token)),
  },
  {
    kind: 'basic credentials',
    pattern: '(?:[Bb]asic|BASIC) {1,3}[A-Za-z0-9+/]{8,}={0,2}',
    judge: credentials((coded) => /^[ -9;-~]+:[ -~]+$/.test(Buffer.from(coded, 'base64').toString('latin1'))),
  },
  { kind: 'a private key', pattern: '-----BEGIN(?: [A-Z0-9]{1,12}){0,3} PRIVATE KEY', judge: privateKey },
  {
    kind: 'a password in a URL',
    pattern: ':\\\\?/\\\\?/[^\\s/?#@:"\'<>\\\\[\\]]{0,128}:[^\\s/?#@"\'<>\\\\[\\]]{1,256}@',
    judge: (text, _, to) => ({ from: text.lastIndexOf('/', to - 1) + 1, to: to - 1 }),
  },
];

const IN_URL = new RegExp((KINDS.at(-1) as Kind).pattern);
/** Made when something is found: as a whole it is large. */
let each: RegExp | undefined;

/** How some of them begin, by the rarest sign that they have. */
interface Beginning {
  sign: string;
  /** What may stand right before the sign. */
  before: string;
  pattern: RegExp;
}

/** Characters that these patterns match around their sign, at most. */
const AROUND = 12;
const BEGINNINGS: readonly Beginning[] = [
  { sign: 'J', before: 'y', pattern: /eyJ[\w-]{8}/ },
  {
    sign: '_',
    before: 'pousretcm1af',
    pattern: /(?:gh[pousr]|_pat|[sr]k_live|[sr]k_test|whsec|npm|do[opr]_v1|shp[acps][ats]|hf)_/,
  },
  {
    sign: '-',
    before: 'abeikoprstX',
    pattern: /(?:gl[a-z]{1,3}t|xox[abeoprs]|xapp|sk|GOCSPX|pypi)-[\w-]{10}/,
  },
  { sign: '.', before: '9Gsb', pattern: /(?:ya29|SG|hv[sb]|hooks)\./ },
  { sign: '=', before: 'y', pattern: /AccountKey=/ },
];
const KEYS = /A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}|AIza[\w-]{35}/;
/** The end of `Bearer ` and `Basic `, in one line of letters: found in half the time. */
const CREDENTIALS_END = /[aA][rRsS][eEiI][rRcC] /;
const CREDENTIALS = /(?:[Bb](?:earer|asic)|BEARER|BASIC) /;

/** False: nothing in this text looks like a secret. Several small looks: one pattern for all takes twice as long. */
export function mayHoldSecret(text: string): boolean {
  return (
    KEYS.test(text) ||
    (CREDENTIALS_END.test(text) && CREDENTIALS.test(text)) ||
    BEGINNINGS.some((beginning) => beginsIn(text, beginning)) ||
    text.includes('-----BEGIN ') ||
    (text.includes('@') && IN_URL.test(text))
  );
}

/** Signs at which one by one is looked; past it, at the whole text. */
const MOST_SIGNS = 64;

/** Most texts have few of these signs, and behind few of them stands what it takes. */
function beginsIn(text: string, { sign, before, pattern }: Beginning): boolean {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
    if (++count > MOST_SIGNS) return pattern.test(text);
    if (at === 0 || !before.includes(text[at - 1] as string)) continue;
    if (pattern.test(text.slice(Math.max(0, at - AROUND), at + AROUND))) return true;
  }
  return false;
}

/** What looks like a secret, in the order of the text. */
export function* secretsIn(text: string): Generator<SecretSpan> {
  each ??= new RegExp(KINDS.map(({ pattern }) => `(${pattern})`).join('|'), 'g');
  let at = 0;
  for (;;) {
    each.lastIndex = at;
    const match = each.exec(text);
    if (match === null) return;
    const from = match.index;
    const to = from + match[0].length;
    at = to;
    const { kind, judge = wholeWord } = KINDS[
      match.findIndex((part, i) => i > 0 && part !== undefined) - 1
    ] as Kind;
    const span = judge(text, from, to);
    if (span === undefined) continue;
    at = Math.max(at, span.to);
    yield { ...span, kind };
  }
}

const CUT =
  /(?:A(?:KIA|SIA|BIA|CCA|Iza)|gh[pousr]_|github_pat_|gl[a-z]{2,4}-|xox|xapp-|[sr]k_|whsec_|npm_|dckr_pat_|do[opr]_v1_|shp[a-z]{2}_|hf_|pypi-|hv[sb]\.|hooks\.slack|AccountKey=|SG\.|sk-|ya29|GOCSPX|eyJ|(?:[Bb](?:earer|asic)|BEARER|BASIC) {1,3}|:\\?\/\\?\/)[\w.~+:%/=-]*$/;
/** Characters at the end of a cut text that are looked at. */
const CUT_WITHIN = 2048;

/** Where the secret begins that a cut text may end in; its length where it ends in none. */
export function beginOfCutSecret(text: string): number {
  const start = Math.max(0, text.length - CUT_WITHIN);
  const index = CUT.exec(text.slice(start))?.index;
  return index === undefined ? text.length : start + index;
}

/** Within a longer word it is that word: base64 of an image, say. */
function wholeWord(text: string, from: number, to: number): { from: number; to: number } | undefined {
  return beginsHere(text, from) && !isWord(text.charCodeAt(to)) ? { from, to } : undefined;
}

/** The letter before it may be the end of an escape: `\n`, `%20`, `\u0020`. */
function beginsHere(text: string, from: number): boolean {
  if (from === 0 || !isWord(text.charCodeAt(from - 1))) return true;
  return /(?:\\[bfnrt]|%[\da-f]{2}|\\u[\da-f]{4})$/i.test(text.slice(Math.max(0, from - 6), from));
}

function isWord(char: number): boolean {
  return (
    (char >= 48 && char <= 57) || (char >= 65 && char <= 90) || (char >= 97 && char <= 122) || char === 95
  );
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const ASSET = /\.(?:m?js|css|map|png|jpe?g|gif|svg|webp|ico|woff2?|ttf|html?)$/i;

/**
 * Whether a word is made of chance alone, as tokens are, and names, slugs, ids, hashes and coded texts are not: letters and
 * digits take turns as often as dice would have it.
 */
export function isRandom(word: string, least: number): boolean {
  if (word.length < least || !/^[\w~+/.-]+={0,2}$/.test(word) || ASSET.test(word)) return false;
  const text = word.replace(UUID, '');
  if (text.length < least || /^[\da-f_-]*$/i.test(text) || !/\d/.test(text)) return false;
  const turns = text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
  const isMixed = /[a-z]/.test(text) && /[A-Z]/.test(text);
  if (turns < text.length * (isMixed ? 0.3 : 0.24)) return false;
  // Ids that are coded texts: `gid://shopify/Product/1`.
  return !/^[ -~]*$/.test(Buffer.from(text, 'base64').toString('latin1'));
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

const FURTHER_PARTS = /(?:\.[\w-]*){2,4}/y;
/** Characters of the first part, which says little more than the algorithm. */
const LONGEST_HEADER = 4096;

/** Three parts (five where it is encrypted), of which the first is JSON with an algorithm (RFC 7515, 7516). */
function jsonWebToken(text: string, from: number, to: number): { from: number; to: number } | undefined {
  if (!beginsHere(text, from) || to - from > LONGEST_HEADER) return undefined;
  FURTHER_PARTS.lastIndex = to;
  const rest = FURTHER_PARTS.exec(text)?.[0];
  if (rest === undefined || rest.length < 8) return undefined;
  const head = Buffer.from(text.slice(from, to), 'base64url').toString('latin1');
  return head.includes('"alg"') ? { from, to: to + rest.length } : undefined;
}

/** The word behind `Bearer` or `Basic`. */
function credentials(isOne: (word: string) => boolean): Judge {
  return (text, from, to) => {
    const start = text.lastIndexOf(' ', to - 1) + 1;
    return isOne(text.slice(start, to)) && beginsHere(text, from) ? { from: start, to } : undefined;
  };
}

/** To its end line; where that is missing, all that follows. */
function privateKey(text: string, from: number, to: number): { from: number; to: number } {
  const end = text.indexOf('-----END', to);
  if (end < 0) return { from, to: text.length };
  const dashes = text.indexOf('-----', end + 8);
  return { from, to: dashes < 0 || dashes > end + 60 ? end + 8 : dashes + 5 };
}
