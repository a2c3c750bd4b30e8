import type { JsonValue } from '../../json/json.ts';

/**
 * What names a secret, wherever the name stands: in a header, query, form, cookie or JSON member. A name is read by its
 * words: `newPassword`, `NEW_PASSWORD` and `new-password` are one. Its end says what it is: a `passwordPolicy` is no password.
 */

/** These are secrets at the end of a longer word as well: `dbpassword`. `-?` stands where two words meet. */
const ENDINGS = [
  'pass-?w(?:or)?d',
  'pass-?phrase',
  'pass-?code',
  'secret',
  'token',
  'credential',
  'jwt',
  'sess(?:ion)?-?id',
  '(?:api|sdk|secret|private|access|signing|encryption|licen[cs]e|subscription)-?key',
];

/** These as words of their own. A key by itself names an entry, as in the variations of a feature. */
const WORDS = [
  'pass|pwd',
  'otp|totp|authori[sz]ation|csrf|xsrf|signature|set-cookie',
  '(?:auth|authentication|authori[sz]ation|sign|signature|hmac|jwt|encrypt|decrypt(?:ion)?|crypto|symmetric)-?key',
  '(?:ssh|pgp|gpg|rsa|aes|master|root|admin|client|server|service|shared|consumer|app|application|account)-?key',
  '(?:security|session|deploy|deployment|webhook|write|ingest|ingestion|insert|integration|instrumentation)-?key',
  '(?:developer|restricted|customer|password)-?key',
  '(?:otp|totp|mfa|2-?fa|two-?factor|one-?time|verification|recovery|backup|security|access)-?code',
  '(?:auth|authentication|authori[sz]ation|device)-?code',
  '(?:code|oauth)-?verifier',
];

/** Headers alone: a condition on a cookie has its name in a body. The token of the gate lets a deletion pass. */
const HEADERS =
  'key|auth|authentication|assertion|sig|cookie-?2?|patchgate-approve|x-honeycomb-team|x-amzn-oidc-data|x-registry-config|x-session';

/** What may follow: `passwordHash`, `tokenValue`, `password2`. */
const FURTHER =
  '(?:-?(?:value|string|binary|hash|digest|plain(?:text)?|encoded|base-?64|hex|pem|confirm(?:ation|ed)?|again|repeat(?:ed)?|verify|new|old|current|\\d))';

/** Where a list goes on, how much of it there is, what makes a request one of a kind, what else a token is. */
const NOT_SECRET = [
  '(?:(?:next|prev|previous|first|last)-?)?(?:page|pages|paging|pagination|next|prev|previous|continuation|continue|cursor|sync|resume|scroll|marker|offset|start|end|delta|change|watch)-?tokens?',
  '(?:max|min|total|prompt|completion|input|output|cached|reasoning|thinking|used|remaining|num|number-of|context|budget)-?tokens?',
  '(?:idempotency|concurrency|lock|cancel|cancellation|dedup|deduplication|design|colou?r|style|theme|syntax)-?tokens?',
  '(?:idempotency|surrogate|web-?socket|cache|public|publishable|partition|sort|primary|foreign|routing|row|group|dedup|deduplication|index|object|lookup|shard|correlation|request|trace|message)-?keys?',
  '(?:e?-?mail|method|function|type|class)-?signatures?',
  'allow-?credentials',
].join('|');
/** `hasPassword` says whether there is one. */
const QUESTION =
  'is|has|have|requires?|required|needs?|allows?|can|should|must|supports?|shows?|hides?|enables?|remember';
const IS_QUESTION = new RegExp(`^(?:${QUESTION})-`);
const NEVER = new RegExp(`(?:^|-)(?:${NOT_SECRET})$|^(?:x-)?patchgate-(?!approve$)`);

const NAMED = `(?:${ENDINGS.join('|')}|(?:^|-)(?:${WORDS.join('|')}))s?`;
const SECRET = new RegExp(`${NAMED}${FURTHER}*$`);
const SECRET_HEADER = new RegExp(`(?:${NAMED}|(?:^|-)(?:${HEADERS}))${FURTHER}*$`);

/** Whether the name alone says that its value is a secret. */
export function isSecretName(name: string, isHeader = false): boolean {
  const words = wordsOf(name);
  if (!(isHeader ? SECRET_HEADER : SECRET).test(words)) return false;
  return !NEVER.test(words) && !IS_QUESTION.test(wordsOf(lastOf(name)));
}

/** `user` and `pin` of `user[pin]` and `user.pin`. */
export function partsOf(name: string): string[] {
  return name.split(/[[\].?/;]+/).filter((part) => part !== '');
}

/** The `pin` of `user[pin]`. */
export function lastOf(name: string): string {
  return partsOf(name).at(-1) ?? '';
}

/** `envSDKKey2` -> `env-sdk-key-2` */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2')
    .replace(/(\d)(?=[a-z])|([A-Za-z])(?=\d)/g, '$&-')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Whether this is no secret whatever its name: `"password": null`, `hasToken=true`, `"tokens": 1532`. */
export function isHarmless(name: string, value: JsonValue): boolean {
  if (typeof value === 'number') return /s$/i.test(name);
  return value === null || typeof value === 'boolean' || (typeof value === 'string' && HARMLESS.test(value));
}

const HARMLESS = /^(?:true|false|null)?$/i;

/** Which names are those of secrets. */
export interface Names {
  has(name: string): boolean;
  /** Whether the user says that it is none. */
  isTakenBack(name: string): boolean;
  /** False: none is in this text before a value. */
  mayBeIn(text: string): boolean;
}
