import type { JsonValue } from '../../json/json.ts';
import { isOpaque } from './secret-kinds.ts';

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
function partsOf(name: string): string[] {
  return name.split(/[[\].?/;]+/).filter((part) => part !== '');
}

function lastOf(name: string): string {
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
  return (
    value === null ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && /^(?:true|false|null)?$/i.test(value))
  );
}

/**
 * What each of these names has in it. A few letters in each, since a pattern of three is ten times as fast as one of ten,
 * and these run on every body.
 */
const ROOTS = [
  /token|[a-z\d\-_. ](?:key|code)/gi,
  /pass|secre|creden|verif/gi,
  /srf|jwt|pwd|otp|signa/gi,
  /authori|sess(?:ion)?[-_. ]?id|set[-_. ]?cookie/gi,
];
/** For short texts one call counts more than its pattern. */
const ANY_ROOT = new RegExp(`${ROOTS.map(({ source }) => source).join('|')}|[?&]|\\\\u`, 'i');
const SHORT = 200;

/** What stands behind a name that has a value: a quote, `=`, `:`, or the end of a tag; all of these may be escaped. */
const BEHIND = '[-_ ]*(?:\\\\*["\']|(?:[[\\]\\d]|%(?:25)*5[BD])*\\s{0,8}(?:[:=>]|%(?:25)*3D))';
const BEHIND_HERE = new RegExp(BEHIND, 'iy');

/** Names come from traffic: so many answers are remembered. */
const MOST_REMEMBERED = 4096;
const LONGEST_NAME = 64;
const NAME_END = /[\w.-]*/y;

/** Which names are those of secrets. */
export type Names = Pick<SecretNames, 'has' | 'isTakenBack' | 'mayBeIn'>;

/** The names of secrets, with those that the user adds and takes back: these count as a whole, however they are written. */
export class SecretNames {
  readonly #isHeader: boolean;
  readonly #added: ReadonlySet<string>;
  readonly #takenBack: ReadonlySet<string>;
  readonly #addedWritten: RegExp | undefined;
  readonly #remembered = new Map<string, boolean>();

  constructor(isHeader: boolean, added: readonly string[] = [], takenBack: readonly string[] = []) {
    this.#isHeader = isHeader;
    this.#added = new Set(added.map(bare));
    this.#takenBack = new Set(takenBack.map(bare));
    this.#addedWritten = writtenOf([...this.#added]);
  }

  /**
   * False: no name in quotes, before a `=` or `:` or at the end of a tag in this text, escaped or not, is one of these. The
   * text may be UTF-8 that is read as Latin-1, so that bytes can be looked at as they are, at a quarter of what parsing
   * them costs.
   */
  mayBeIn(text: string): boolean {
    if (this.#addedWritten?.test(text)) return true;
    if (text.length < SHORT && !ANY_ROOT.test(text)) return false;
    if (text.includes('\\u')) return true;
    for (const root of ROOTS) {
      root.lastIndex = 0;
      while (root.test(text)) {
        // Of a name with two of them, the last one counts.
        NAME_END.lastIndex = root.lastIndex - 1;
        NAME_END.test(text);
        const end = NAME_END.lastIndex;
        BEHIND_HERE.lastIndex = end;
        if (BEHIND_HERE.test(text) && this.has(nameBefore(text, end))) return true;
        root.lastIndex = Math.max(end, root.lastIndex);
      }
    }
    // Most bodies have neither sign, and to look for one costs next to nothing.
    return (text.includes('?') || text.includes('&')) && PARAMETER_IN.test(text);
  }

  /** Asked for every member of every body that is recorded, hence the memory. */
  has(name: string): boolean {
    const remembered = this.#remembered.get(name);
    if (remembered !== undefined) return remembered;
    const ways = [bare(name), bare(lastOf(name))];
    const secret =
      ways.some((way) => this.#added.has(way)) ||
      (!ways.some((way) => this.#takenBack.has(way)) && isSecretName(name, this.#isHeader));
    if (name.length <= LONGEST_NAME && this.#remembered.size < MOST_REMEMBERED)
      this.#remembered.set(name, secret);
    return secret;
  }

  /** Whether the user says that it is none. */
  isTakenBack(name: string): boolean {
    return this.#takenBack.has(bare(name));
  }
}

/** Finds these names in a text, in any way to write them. What cannot be looked for could be anywhere. */
function writtenOf(names: readonly string[]): RegExp | undefined {
  if (names.length === 0) return undefined;
  if (!names.every((name) => /^[ -~]+$/.test(name))) return /(?:)/;
  const spelt = names.map((name) =>
    Array.from(name, (char) => char.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')).join('[-_ ]{0,3}'),
  );
  return new RegExp(`(?:${spelt.join('|')})${BEHIND}`, 'i');
}

/** With one word before it: `api key`. The end of an escape is no part of it: `%5B`, `\n`. */
function nameBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - LONGEST_NAME - 1), end);
  const [name = ''] = /(?:[\w.-]* )?[\w.-]*$/.exec(before) ?? [];
  const sign = before[before.length - name.length - 1];
  return sign === '%' ? name.replace(/^(?:25)*[\da-f]{2}/i, '') : sign === '\\' ? name.slice(1) : name;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/** As parameters of queries and forms, these are secrets besides. */
const PARAMETERS = 'sig|saml[-_]?response|(?:client[-_]?)?assertion|x-(?:amz|goog)-[a-z-]+';
const IS_PARAMETER = new RegExp(`^(?:${PARAMETERS})$`, 'i');
/** These are so by what they hold; `code` also beside what OAuth sends with it. */
const OPEN_PARAMETERS = 'code|key|sid|auth';
const IS_OPEN = new RegExp(`^(?:${OPEN_PARAMETERS})$`, 'i');
const PARAMETER_IN = new RegExp(`[?&](?:${PARAMETERS}|${OPEN_PARAMETERS})=`, 'i');
const BESIDE_OAUTH =
  /(?:^|[?&#;\s"'])(?:grant_type|client_id|client_secret|redirect_ur[il]|code_verifier|code_challenge|session_state|response_type)(?:=|"\s*:)/;
const BESIDE_STATE = /(?:^|[?&#;])state=/;
/** Of the shortest code that `state` alone makes one: `?state=NY&code=10001` is an address. */
const SHORTEST_CODE = 8;

/**
 * Whether a parameter is a secret, by its name or by what it holds. Forms also nest: `user[password]`, `user.password`; a
 * fragment may have a path of its own: `/login?token`.
 *
 * @param beside the query, form or text that it stands in
 */
export function isSecretParameter(name: string, value: string, beside: string, members: Names): boolean {
  if (members.has(name)) return !isHarmless(name, value);
  const around = partsOf(name);
  const last = around.pop() ?? '';
  // What is in a secret is one, too.
  if (around.some((part) => members.has(part))) return true;
  const isOpen = IS_OPEN.test(last);
  if (!isOpen && !IS_PARAMETER.test(last)) return false;
  if (members.isTakenBack(last) || isHarmless(last, value)) return false;
  return !isOpen || isOpaque(value) || isOAuthCode(last, value, beside);
}

function isOAuthCode(name: string, value: string, beside: string): boolean {
  return (
    name.toLowerCase() === 'code' &&
    (BESIDE_OAUTH.test(beside) || (value.length >= SHORTEST_CODE && BESIDE_STATE.test(beside)))
  );
}
