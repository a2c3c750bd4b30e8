import type { JsonValue } from '../../json/json.ts';
import { IS_OF_WORD, isLogin, isOpaque, SHORTEST_TOKEN } from './shapes.ts';

/** Names of secrets, in headers, queries, forms, cookies and JSON alike. A name is read by its words: `newPassword`, `NEW_PASSWORD` and
 *  `new-password` are one. Its end says what it is: a `passwordPolicy` is no password. */

/** Secrets at the end of a longer word, too: `dbpassword`. `-?` stands between two words. */
const ENDINGS = oneOf(`
  pass-?w(?:or)?d pass-?phrase pass-?code secret token credential jwt bearer mnemonic connect-sid secret-key-base
  passwort kennwort wachtwoord contrasen[ay]a? senha mot-?de-?passe haslo losenord adgangskode kata-?sandi parola
  sess(?:ion)?-?id (?:seed|recovery|secret)-?(?:phrase|words) (?:api|sdk|secret|access)-?key`);
/** A key alone names an entry, as in the variations of a feature. */
const KEYS = oneOf(`
  private signing encryption licen[cs]e subscription storage auth(?:entication|ori[sz]ation)? sign signature hmac jwt
  (?:en|de)crypt(?:ion)? crypto symmetric ssh pgp gpg rsa aes master root admin client server service (?:pre-?)?shared
  consumer app application account security session deploy(?:ment)? webhook write ingest(?:ion)? insert integration
  instrumentation developer restricted customer password bot wallet project-?api`);
/** Secrets as words of their own. */
const WORDS = oneOf(`
  pass pwd pswd pw psk [ht]?otp cvv cvc authori[sz]ation csrf xsrf signature set-cookie (?:basic|proxy)-?auth
  ${KEYS}-?key (?:code|oauth)-?verifier (?:client|private|tls)-?key-?data docker-?config-?json
  (?:t?otp|mfa|2-?fa|two-?factor|one-?time|verification|recovery|backup|security|access|pin|device)-?code
  auth(?:entication|ori[sz]ation)?-?code`);
/** Headers alone: a condition on a cookie has its name in a body. The token of the gate lets a deletion pass. */
const HEADERS = oneOf(`
  key auth authentication assertion sig cookie-?2? patchgate-approve x-honeycomb-team x-amzn-oidc-data
  x-registry-config x-session x-amz-mfa`);
/** Parameters of signed URLs and sign-in flows, as a whole. */
const PARAMETERS = oneOf('sig saml-response assertion client-assertion x-(?:amz|goog)-[a-z-]{1,40}');
/** `passwordHash`, `tokenValue`, `password2`. */
const FURTHER = oneOf(`
  value string binary hash digest plain(?:text)? encoded base-?64 hex pem confirm(?:ation|ed)? again repeat(?:ed)?
  verify new old current \\d`);
/** A page's end, an amount, a request's kind, a design, a code to show. */
const NOT_SECRET = oneOf(`
  (?:pages?|paging|pagination|skip|next|prev|previous|continu(?:ation|e)|cursor|sync|resume|scroll|marker|offset)-?tokens?
  (?:start|end|delta|change|watch|max|min|total|prompt|completion|input|output|cached|reasoning|thinking)-?tokens?
  (?:used|remaining|num|number-of|context|budget|idempotency|lock|cancel(?:lation)?|dedup|design|colou?r)-?tokens?
  (?:style|theme|syntax|(?:first|last|next)-?page)-?tokens? (?:idempotency|surrogate|web-?socket|cache)-?keys?
  (?:public|publishable|partition|sort|primary|foreign|routing|object|lookup|shard|request|trace|message)-?keys?
  (?:e?-?mail|method|function|type)-?signatures? (?:tracking|promo|coupon|discount|voucher|qr|bar)-?codes?
  allow-?credentials`);
const QUESTION =
  /^(?:is|has|have|requires?|required|needs?|allows?|can|should|must|supports?|shows?|hides?|enables?|remember)-/;
const NEVER = new RegExp(`$(?<=(?:^|-)${NOT_SECRET})|^(?:x-)?patchgate-(?!approve$)`);

const NAMED = `(?:${ENDINGS}|(?:^|-)${WORDS})s?`;
// A look back from the end takes the same time for any name.
const SECRET = new RegExp(`$(?<=${NAMED}(?:-?${FURTHER})*|^${PARAMETERS})`);
const SECRET_HEADER = new RegExp(`$(?<=(?:${NAMED}|(?:^|-)${HEADERS})(?:-?${FURTHER})*)`);
/** "Password" in other scripts and with other letters. */
const IN_OTHER_LETTERS =
  /пароль|密码|密碼|パスワード|비밀번호|암호|كلمة.?(?:المرور|السر)|पासवर्ड|contraseña|hasło|lösenord|şifre|mật.?khẩu/iu;
/** Names whose value decides. A key also names an entry or a file, so that it must be longer. */
const OPEN = /$(?<=(?:^|-)(?:key|code|sid|auth|hmac|session|cookie))/;
const ID = /$(?<=(?:^|-)(?:ids?|etag|hash|digest|checksum|cursor|ref|sha|uuid|integrity|fingerprint))/;
const CODE = /(?:^|-)(?:js|javascript|typescript|scripts?|html|css|markup|snippet|x-path)(?:-|$)/;

/** Each name that may be secret holds one of these. The last ones mark secrets without a name: `Basic`, `-----BEGIN`, `hooks`, `$2b$`. */
const ROOTS =
  'pas psk psw pw ecr ede ses tok key cod uth otp srf jwt sig sid bea mne rif phr wor nnw woo adg kie nha kat slo eno ola ras ' +
  'aml sse x-a x-g hma cvv cvc ifr $1$ $5$ $6$ $y$ $ap $sc kdf пар 密码 密碼 パスワ 비밀번 암호 كلم पास señ sło asŁ mật sic --- hoo $2a $2b $2y $ar';

/** The last three characters by five bits of each, in which letter case makes no difference. */
const rowWith = (row: number, code: number) => ((row << 5) | ((code ^ (code >> 8)) & 31)) & 0x7fff;

/** Forms nest: `user[pin]`, `user.pin`. */
const BETWEEN = /[[\].?/;]+/;

function oneOf(patterns: string): string {
  return `(?:${patterns.trim().split(/\s+/).join('|')})`;
}

/** What a name alone says. `open`: the value decides. */
export type Kind = 'secret' | 'open' | 'plain';

const MOST_REMEMBERED = 4096;

/** The names of secrets, with those that the user adds and keeps; these count as a whole, in any letter case, with or without `-` and `_`. */
export class SecretNames {
  readonly #secret: RegExp;
  readonly #isRoot = new Uint8Array(1 << 15);
  readonly #own: ReadonlyMap<string, Kind>;
  /** Every member of every recorded body asks. */
  readonly #kinds = new Map<string, Kind>();

  constructor(of: 'headers' | 'members', added: readonly string[] = [], kept: readonly string[] = []) {
    this.#secret = of === 'headers' ? SECRET_HEADER : SECRET;
    const own = (names: readonly string[], kind: Kind) => names.map((name) => [bare(name), kind] as const);
    this.#own = new Map([...own(kept, 'plain'), ...own(added, 'secret')]);
    const firsts = added.map((name) => bare(name).slice(0, 1));
    for (const root of [...ROOTS.split(' '), ...firsts, ...firsts.map((first) => first.toUpperCase())]) {
      const row = Array.from(root, (char) => char.charCodeAt(0)).reduce(rowWith, 0);
      // Any characters may stand before a short root.
      for (let any = row; any < 1 << 15; any += 1 << (5 * root.length)) this.#isRoot[any] = 1;
    }
  }

  /** The offset of the last character of the next root; -1: there is none. */
  nextRoot(text: string, from: number): number {
    for (let at = from, row = 0; at < text.length; at++) {
      row = rowWith(row, text.charCodeAt(at));
      if (this.#isRoot[row] === 1) return at;
    }
    return -1;
  }

  /** Whether a text has a root or a long word, by its bytes, which take a third of the time of its characters. */
  mayBeIn(bytes: Uint8Array): boolean {
    let [row, length] = [0, 0];
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      row = rowWith(row, byte);
      length = IS_OF_WORD[byte] === 1 ? length + 1 : 0;
      if (this.#isRoot[row] === 1 || length === SHORTEST_TOKEN) return true;
    }
    return false;
  }

  has(name: string): boolean {
    return this.kindOf(name) === 'secret';
  }

  kindOf(name: string): Kind {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    const kind = this.#kindOf(name);
    if (this.#kinds.size === MOST_REMEMBERED) this.#kinds.clear();
    if (name.length <= 64) this.#kinds.set(name, kind);
    return kind;
  }

  /** Whether a value is a secret, by its name or by both. None is in `"password": null`, `hasToken=true`, `"tokens": 1532`. */
  isSecret(name: string, value: JsonValue): boolean {
    const kind = this.kindOf(name);
    if (kind === 'plain') return false;
    const text = String(value);
    if (kind === 'secret')
      return !/^(?:true|false|null)?$/i.test(text) && !(/s$/i.test(name) && /^\d{1,15}$/.test(text));
    if (typeof value !== 'string') return false;
    if (/auth$/i.test(name) && isLogin(value)) return true;
    if (/cookie$/i.test(name) && /^[\w.$-]{1,64}=/.test(value)) return true;
    return isOpaque(value, /^(?:key|code)$/i.test(name) ? 32 : 16);
  }

  #kindOf(name: string): Kind {
    const parts = name.split(BETWEEN).filter((part) => part !== '');
    const last = parts.at(-1) ?? '';
    const own = this.#own.get(bare(name)) ?? this.#own.get(bare(last));
    if (own) return own;
    if (IN_OTHER_LETTERS.test(name.normalize('NFC'))) return 'secret';
    if (this.#secret === SECRET && this.nextRoot(name, 0) < 0) return 'plain';
    const [words, lastWords] = [wordsOf(name), wordsOf(last)];
    const isNever = NEVER.test(words);
    const isNamed = this.#secret.test(words) || this.#secret.test(lastWords);
    if (isNamed && !isNever && !QUESTION.test(lastWords)) return 'secret';
    // `token[0]=x`; in JSON, `token.provider` is a flag like any other.
    if (name.includes('[') && parts.slice(0, -1).some((part) => this.has(part))) return 'secret';
    return !isNever && OPEN.test(lastWords) ? 'open' : 'plain';
  }
}

/** What the value of a name is beside a secret: an `id` may have the shape of a token; `code`: `jsString`, `cssSelector`. */
export function roleOf(name: string): 'id' | 'code' | undefined {
  const words = wordsOf(name);
  if (ID.test(words)) return 'id';
  return CODE.test(words) ? 'code' : undefined;
}

/** `envSDKKey2` -> `env-sdk-key-2`, `APIkey` -> `api-key` */
function wordsOf(name: string): string {
  const words = name.match(/[A-Z]{2,}(?=keys?(?![a-z]))|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return words.join('-').toLowerCase();
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}
