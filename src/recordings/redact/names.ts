import type { JsonValue } from '../../json/json.ts';
import { isOpaque } from './shapes.ts';

/**
 * Names of secrets, in headers, queries, forms, cookies and JSON alike. A name is read by its words: `newPassword`, `NEW_PASSWORD`
 * and `new-password` are one. Its end says what it is: a `passwordPolicy` is no password.
 */

/** Secrets at the end of a longer word, too: `dbpassword`. `-?` stands between two words. */
const ENDINGS = [
  'pass-?w(?:or)?d|pass-?phrase|pass-?code|secret|token|credential|jwt|bearer|mnemonic',
  'passwort|kennwort|wachtwoord|contrasen[ay]a?|senha|mot-?de-?passe|haslo|losenord|adgangskode|kata-?sandi|parola',
  'sess(?:ion)?-?id|connect-sid|secret-key-base|(?:seed|recovery|secret)-?(?:phrase|words)',
  '(?:api|sdk|secret|private|access|signing|encryption|licen[cs]e|subscription|storage)-?key',
];

/** Secrets as words of their own. A key alone names an entry, as in the variations of a feature. */
const WORDS = [
  'pass|pwd|pw|psk|otp|totp|authori[sz]ation|csrf|xsrf|signature|set-cookie|(?:basic|proxy)-?auth',
  '(?:auth|authentication|authori[sz]ation|sign|signature|hmac|jwt|encrypt|decrypt(?:ion)?|crypto|symmetric)-?key',
  '(?:ssh|pgp|gpg|rsa|aes|master|root|admin|client|server|service|shared|pre-?shared|consumer|app|application|account)-?key',
  '(?:security|session|deploy|deployment|webhook|write|ingest|ingestion|insert|integration|instrumentation)-?key',
  '(?:developer|restricted|customer|password|bot|wallet|project-?api)-?key',
  '(?:otp|totp|mfa|2-?fa|two-?factor|one-?time|verification|recovery|backup|security|access|pin)-?code',
  '(?:auth|authentication|authori[sz]ation|device)-?code|(?:code|oauth)-?verifier',
];

/** Headers alone: a condition on a cookie has its name in a body. The token of the gate lets a deletion pass. */
const HEADERS =
  'key|auth|authentication|assertion|sig|cookie-?2?|patchgate-approve|x-honeycomb-team|x-amzn-oidc-data|x-registry-config|x-session';

/** `passwordHash`, `tokenValue`, `password2`. */
const FURTHER =
  '(?:-?(?:value|string|binary|hash|digest|plain(?:text)?|encoded|base-?64|hex|pem|confirm(?:ation|ed)?|again|repeat(?:ed)?|verify|new|old|current|\\d))';

/** A page's end, an amount, a request's kind, a design. */
const NOT_SECRET = [
  '(?:(?:next|prev|previous|first|last)-?)?(?:page|pages|paging|pagination|next|prev|previous|continuation|continue|cursor|sync|resume|scroll|marker|offset|start|end|delta|change|watch)-?tokens?',
  '(?:max|min|total|prompt|completion|input|output|cached|reasoning|thinking|used|remaining|num|number-of|context|budget)-?tokens?',
  '(?:idempotency|concurrency|lock|cancel|cancellation|dedup|deduplication|design|colou?r|style|theme|syntax)-?tokens?',
  '(?:idempotency|surrogate|web-?socket|cache|public|publishable|partition|sort|primary|foreign|routing|row|group|dedup|deduplication|index|object|lookup|shard|correlation|request|trace|message)-?keys?',
  '(?:e?-?mail|method|function|type|class)-?signatures?|allow-?credentials',
].join('|');
const QUESTION =
  /^(?:is|has|have|requires?|required|needs?|allows?|can|should|must|supports?|shows?|hides?|enables?|remember)-/;
const NEVER = new RegExp(`(?:^|-)(?:${NOT_SECRET})$|^(?:x-)?patchgate-(?!approve$)`);

const NAMED = `(?:${ENDINGS.join('|')}|(?:^|-)(?:${WORDS.join('|')}))s?`;
const SECRET = new RegExp(`(?:${NAMED})${FURTHER}*$`);
const SECRET_HEADER = new RegExp(`(?:${NAMED}|(?:^|-)(?:${HEADERS}))${FURTHER}*$`);
/** "Password" in other scripts and with other letters. */
const IN_OTHER_LETTERS =
  /пароль|密码|密碼|パスワード|비밀번호|암호|كلمة.?(?:المرور|السر)|पासवर्ड|contraseña|hasło|lösenord|şifre|mật.?khẩu/iu;

/** Whether the name alone says that its value is a secret. */
export function isSecretName(name: string, isHeader = false): boolean {
  if (/[^\0-\x7f]/.test(name) && IN_OTHER_LETTERS.test(name.normalize('NFC'))) return true;
  const words = wordsOf(name);
  if (!(isHeader ? SECRET_HEADER : SECRET).test(words)) return false;
  return !NEVER.test(words) && !QUESTION.test(wordsOf(lastOf(name)));
}

/** `user` and `pin` of `user[pin]` and `user.pin`. */
function partsOf(name: string): string[] {
  return name.split(/[[\].?/;]+/).filter((part) => part !== '');
}

function lastOf(name: string): string {
  return partsOf(name).at(-1) ?? '';
}

const MOST_REMEMBERED = 4096;
const LONGEST_NAME = 64;
/** Every member of every recorded body asks. */
const remembered = new Map<string, string>();

/** `envSDKKey2` -> `env-sdk-key-2` */
export function wordsOf(name: string): string {
  const before = remembered.get(name);
  if (before !== undefined) return before;
  const words = name
    .replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2')
    .replace(/(\d)(?=[a-z])|([A-Za-z])(?=\d)/g, '$&-')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '');
  if (name.length <= LONGEST_NAME && remembered.size < MOST_REMEMBERED) remembered.set(name, words);
  return words;
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

/** Names whose value decides. A key also names an entry or a file, so that it must be longer. */
const OPEN = /(?:^|-)(?:(key|code)|sid|auth|session|environment-key|cookie)$/;

/** Whether a value is secret by its name and its own looks together: `session`, `environmentKey`. */
export function isOpenSecret(name: string, value: JsonValue): boolean {
  if (typeof value !== 'string' || value.length < 16) return false;
  const open = OPEN.exec(wordsOf(name));
  return open !== null && isOpaque(value, open[1] === undefined || name.length > 4 ? 16 : 32);
}

/** Parameters of queries and forms that are secrets besides. */
const PARAMETER = /^(?:sig|saml[-_]?response|(?:client[-_]?)?assertion|x-(?:amz|goog)-[a-z-]+)$/i;

/** The value decides of an `open` name. */
type Kind = 'secret' | 'open' | 'plain';

/** The names of secrets, with those that the user adds and keeps; these count as a whole, in any letter case, with or without `-` and `_`. */
export class SecretNames {
  readonly #isHeader: boolean;
  readonly #added: ReadonlySet<string>;
  readonly #kept: ReadonlySet<string>;
  readonly #remembered = new Map<string, Kind>();

  constructor(isHeader: boolean, added: readonly string[] = [], kept: readonly string[] = []) {
    this.#isHeader = isHeader;
    this.#added = new Set(added.map(bare));
    this.#kept = new Set(kept.map(bare));
  }

  get hasAdded(): boolean {
    return this.#added.size > 0;
  }

  has(name: string): boolean {
    return this.#of(name) === 'secret';
  }

  mayHave(name: string): boolean {
    return this.#of(name) !== 'plain';
  }

  /** Whether the user keeps it. */
  keeps(name: string): boolean {
    return this.#kept.size > 0 && this.#kept.has(bare(name));
  }

  /** Every member of every recorded body asks, so answers are remembered. */
  #of(name: string): Kind {
    const remembered = this.#remembered.get(name);
    if (remembered !== undefined) return remembered;
    const kind = this.#look(name);
    if (name.length <= LONGEST_NAME && this.#remembered.size < MOST_REMEMBERED)
      this.#remembered.set(name, kind);
    return kind;
  }

  #look(name: string): Kind {
    const last = lastOf(name);
    const ways = [bare(name), bare(last)];
    if (ways.some((way) => this.#added.has(way))) return 'secret';
    if (ways.some((way) => this.#kept.has(way))) return 'plain';
    if (isSecretName(name, this.#isHeader)) return 'secret';
    if (last !== name && partsOf(name).some((part) => this.has(part))) return 'open';
    const words = wordsOf(last);
    const isOpen = PARAMETER.test(last) || (OPEN.test(words) && !NEVER.test(words));
    return isOpen ? 'open' : 'plain';
  }
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

const BESIDE_OAUTH =
  /(?:^|[?&#;\s"'])(?:grant_type|client_id|client_secret|redirect_ur[il]|code_verifier|code_challenge|session_state|response_type)(?:=|"\s*:)/;
const BESIDE_STATE = /(?:^|[?&#;])state=/;
/** `?state=NY&code=10001` is an address. */
const SHORTEST_CODE = 8;

/** Tells which parameters of one query, form or text are secrets, by their names or by what they hold. */
export class Parameters {
  readonly #text: string;
  readonly #members: SecretNames;
  #isBesideOAuth: boolean | undefined;
  #isBesideState: boolean | undefined;

  constructor(text: string, members: SecretNames) {
    this.#text = text;
    this.#members = members;
  }

  /** Forms also nest: `user[password]`, `user.password`. */
  isSecret(name: string, value: JsonValue): boolean {
    if (!this.#members.mayHave(name)) return false;
    if (this.#members.has(name)) return !isHarmless(name, value);
    const around = /[[\].?/;]/.test(name) ? partsOf(name) : [name];
    const last = around.pop() ?? '';
    if (around.some((part) => this.#members.has(part))) return true;
    if (isHarmless(last, value)) return false;
    return PARAMETER.test(last) || isOpenSecret(last, value) || this.#isOAuthCode(last, String(value));
  }

  /** Once for a text: each parameter may be a `code`. */
  #isOAuthCode(name: string, value: string): boolean {
    if (name.toLowerCase() !== 'code') return false;
    this.#isBesideOAuth ??= BESIDE_OAUTH.test(this.#text);
    this.#isBesideState ??= BESIDE_STATE.test(this.#text);
    return this.#isBesideOAuth || (this.#isBesideState && value.length >= SHORTEST_CODE);
  }
}
