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
export const IN_OTHER_LETTERS =
  /пароль|密码|密碼|パスワード|비밀번호|암호|كلمة.?(?:المرور|السر)|पासवर्ड|contraseña|hasło|lösenord|şifre|mật.?khẩu/iu;

/** Parameters of signed URLs and sign-in flows. */
const PARAMETER = /^(?:sig|saml[-_]?response|(?:client[-_]?)?assertion|x-(?:amz|goog)-[a-z-]+)$/i;
/** Names whose value decides. A key also names an entry or a file, so that it must be longer. */
const OPEN = /(?:^|-)(?:(key|code)|sid|auth|session|environment-key|cookie)$/;
/** Names of what only identifies. */
const ID = /(?:^|-)(?:ids?|etag|hash|digest|checksum|cursor|ref|sha|uuid|integrity|fingerprint)$/;
const CODE = /(?:^|-)(?:js|javascript|typescript|scripts?|html|css|markup|snippet|x-path)(?:-|$)/;

/** Three letters that each name of a secret, of a parameter or an open one has, and each mark of a secret; `pw` with any letter. */
export const ROOTS = (
  'pas psk pw ecr ede ses tok key cod uth otp srf jwt sig sid bea mne rif phr wor nnw woo adg kie nha kat slo eno ola ras aml sse ' +
  'x-a x-g sic --- sla isc ffi'
).split(' ');

/** What a name alone says. `open`: the value decides. */
interface Meaning {
  kind: 'secret' | 'open' | 'plain';
  /** Its values may have the shape of a token. */
  isId: boolean;
  /** `jsString`, `cssSelector` */
  isCode: boolean;
}

const MOST_REMEMBERED = 4096;
const LONGEST_REMEMBERED = 64;

/** The names of secrets, with those that the user adds and keeps; these count as a whole, in any letter case, with or without `-` and `_`. */
export class SecretNames {
  readonly #secret: RegExp;
  readonly #kept: ReadonlySet<string>;
  readonly added: ReadonlySet<string>;
  /** Every member of every recorded body asks. */
  readonly #remembered = new Map<string, Meaning>();

  constructor(of: 'headers' | 'members', added: readonly string[] = [], kept: readonly string[] = []) {
    this.#secret = of === 'headers' ? SECRET_HEADER : SECRET;
    this.added = new Set(added.map(bare));
    this.#kept = new Set(kept.map(bare));
  }

  has(name: string): boolean {
    return this.meaning(name).kind === 'secret';
  }

  meaning(name: string): Meaning {
    const remembered = this.#remembered.get(name);
    if (remembered !== undefined) return remembered;
    const words = wordsOf(name);
    const meaning = { kind: this.#kind(name, words), isId: ID.test(words), isCode: CODE.test(words) };
    if (name.length <= LONGEST_REMEMBERED && this.#remembered.size < MOST_REMEMBERED)
      this.#remembered.set(name, meaning);
    return meaning;
  }

  /** Whether a value is a secret, by its name or by both. @param isSignIn a `code` beside it lets somebody in */
  isSecret(name: string, value: JsonValue, isSignIn: boolean): boolean {
    const { kind } = this.meaning(name);
    if (kind === 'plain') return false;
    if (kind === 'secret' || (isSignIn && name.toLowerCase() === 'code')) return !isHarmless(name, value);
    return typeof value === 'string' && isOpaque(value, /^(?:key|code)$/i.test(name) ? 32 : 16);
  }

  /** Forms nest: `user[pin]`, `user.pin`. */
  #kind(name: string, words: string): Meaning['kind'] {
    const around = name.split(/[[\].?/;]+/).filter((part) => part !== '');
    const last = around.pop() ?? '';
    const ways = [bare(name), bare(last)];
    if (ways.some((way) => this.added.has(way))) return 'secret';
    if (ways.some((way) => this.#kept.has(way))) return 'plain';
    if (/[^\0-\x7f]/.test(name) && IN_OTHER_LETTERS.test(name.normalize('NFC'))) return 'secret';
    const isNever = NEVER.test(words) || QUESTION.test(wordsOf(last));
    if (!isNever && this.#secret.test(words)) return 'secret';
    // `token[0]=x`; in JSON, `token.provider` is a flag like any other.
    const isBelow = name.includes('[') && around.some((part) => this.has(part));
    if (isBelow || PARAMETER.test(last)) return 'secret';
    return OPEN.test(wordsOf(last)) && !NEVER.test(words) ? 'open' : 'plain';
  }
}

/** `envSDKKey2` -> `env-sdk-key-2` */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2')
    .replace(/(\d)(?=[a-z])|([A-Za-z])(?=\d)/g, '$&-')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '');
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/** Whether this is no secret whatever its name: `"password": null`, `hasToken=true`, `"tokens": 1532`. */
export function isHarmless(name: string, value: JsonValue): boolean {
  if (typeof value === 'number') return /s$/i.test(name);
  return value === null || typeof value === 'boolean' || /^(?:true|false|null)?$/i.test(String(value));
}

/** Parameters that stand beside the code of a sign-in. */
export const SIGN_IN =
  /(?:^|[?&#;\s"'])(?:grant_type|client_id|client_secret|redirect_ur[il]|code_verifier|code_challenge|session_state|response_type|state)(?:=|"\s*:)/;
/** `?state=NY&code=10001` is an address. */
export const SHORTEST_CODE = 8;
