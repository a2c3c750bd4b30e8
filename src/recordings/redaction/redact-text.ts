import { Char, skipSpace } from '../../json/json-lexer.ts';
import { skipString } from '../../json/json-text.ts';
import { escapeToken } from '../../json/pointer.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { REDACTED } from './redacted.ts';
import { foundByName, type OnFound, type Redaction } from './redaction.ts';
import { secretsIn } from './secret-kinds.ts';
import { isHarmless, isSecretParameter, wordsOf } from './secret-names.ts';

/** Characters of the shortest text that holds a secret, unless a pattern says otherwise. */
export const SHORTEST = 7;

const PLACEHOLDER = `"${REDACTED}"`;

/** How a text is redacted, and the place for `onFound`. */
interface Context {
  redaction: Redaction;
  place: string;
  onFound: OnFound | undefined;
}

/**
 * A text of any kind: JSON whole, cut, broken or many documents (events, lines), with what its strings hold; names
 * before a `=`; what looks like a secret. All else stays as it was written, and so do the names in code.
 *
 * @param isWithin it stood in a string or field of another text: its own strings are not read as texts again
 */
export function redactText(
  text: string,
  redaction: Redaction,
  place = 'body',
  onFound?: OnFound,
  isWithin = false,
): string {
  if (!redaction.mayBeIn(text)) return text;
  const context = { redaction, place, onFound };
  const isJson = !isWithin && isJsonText(text);
  if (!isJson && isCode(text)) return redactPlain(text, redaction, place, onFound);
  let clean = isJson ? text : redactNamed(text, context);
  if (redaction.pointers) clean = redactPlaces(clean, redaction.pointers, onFound);
  if (isJson || (!isWithin && clean.includes('\\'))) clean = redactStrings(clean, isJson, context);
  if (!isJson && redaction.members.mayBeIn(clean))
    clean = redactWritten(redactAssigned(clean, context), context);
  return redactPlain(clean, redaction, place, onFound);
}

/** What is hidden wherever it stands, whatever the text is: code, too. */
export function redactPlain(text: string, redaction: Redaction, place: string, onFound?: OnFound): string {
  const detected = new SplicedText(text);
  if (redaction.detects) {
    for (const { from, to, kind } of secretsIn(text)) {
      onFound?.({ what: kind, place, isDetected: true, value: text.slice(from, to) });
      detected.replace(from, to, REDACTED);
    }
  }
  let clean = detected.toString();
  for (const secret of redaction.texts) clean = between(clean, (part) => part.replaceAll(secret, REDACTED));
  for (const pattern of redaction.patterns) {
    const hide = (match: string) => {
      if (match === '') return match;
      onFound?.({ what: `the pattern ${pattern.source}`, place, isDetected: false, value: match });
      return REDACTED;
    };
    clean = between(clean, (part) => part.replace(pattern, hide));
  }
  return clean;
}

/** A placeholder is no text to look into: redacting twice must give the same. */
function between(text: string, change: (part: string) => string): string {
  return text.split(REDACTED).map(change).join(REDACTED);
}

/** Signs of a program or a page: in `const token = get()`, no secret stands behind the name. */
const SIGNS = [
  'function\\b[^(){}]{0,64}\\(|(?:const|let|var)\\s+(?:[\\w$]{1,64}\\s?[=;,]|[{[])',
  '(?:if|while|switch|catch)\\s?\\(|for\\s?\\((?:const|let|var|\\w{1,64}\\s?=)|class\\s+\\w{1,64}\\s?(?:extends\\s|\\{)',
  'return\\b[^\\n]{0,200};\\s{0,8}(?:\\}|$)|(?:new|typeof)\\s+\\w{1,64}\\(|await\\s+\\w{1,64}[.(]',
  '(?:document|window|console|(?:local|session)Storage|JSON|Math|process|jQuery)\\.\\w',
  'import\\s[^\\n]{1,200}\\sfrom\\s|def\\s+\\w{1,64}\\(',
];
const CODE = new RegExp(
  `\\b(?:${SIGNS.join('|')})|[\\w)]\\s?=>|[!=]==|\\$\\(|\\w\\([^()\\n]{0,200}\\)\\s?;|</?(?:script|style|html|div|span|img|button|svg|iframe|ul|br|h[1-6])\\b`,
  'i',
);

export function isCode(text: string): boolean {
  return CODE.test(text);
}

const CODE_NAME = /(?:^|-)(?:js|javascript|typescript|scripts?|html|css|markup|snippet|x-path)(?:-|$)/;

/** Whether a member of this name holds code: `jsString`, `cssSelector`. */
export function isCodeName(name: string): boolean {
  return name !== '' && CODE_NAME.test(wordsOf(name));
}

const JSON_BEGIN = /^\s*(?:\{\s*["}]|\[\s*[[{"\d-]|data:|event:|id:|retry:)/;
const BETWEEN_STRINGS =
  /^(?:[\s{}[\],:\d.eE+-]|true|false|null|data:|\[DONE\]|(?:event|id|retry):[ \t]*[\w.-]*(?=\s|$))*$/;

/** Whether it is JSON, perhaps cut, one document or many (lines, events): then each string is one, and a name is a name. */
function isJsonText(text: string): boolean {
  if (!JSON_BEGIN.test(text)) return false;
  let from = 0;
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', from)) {
    if (!BETWEEN_STRINGS.test(text.slice(from, quote))) return false;
    from = skipString(text, quote);
  }
  // What is cut may be a word.
  return BETWEEN_STRINGS.test(text.slice(from).replace(/[a-z]*$/, ''));
}

const MEMBER_NAME = /"((?:[^"\\]|\\.){1,200})"\s*:\s*/g;

/** Hides the values of secret members in a text that holds JSON among other things, or broken JSON. */
function redactNamed(text: string, context: Context): string {
  const clean = new SplicedText(text);
  for (const { 0: head, 1: name = '', index } of text.matchAll(MEMBER_NAME))
    if (index >= clean.end) redactMember(clean, text, unescaped(name), index + head.length, context);
  return clean.toString();
}

/** Hides the value that starts here, if its member's name is that of a secret. */
function redactMember(
  clean: SplicedText,
  text: string,
  name: string,
  start: number,
  { redaction, place, onFound }: Context,
): void {
  if (!redaction.members.has(name)) return;
  const end = endOfValue(text, start);
  const written = text.slice(start, end);
  const value = unquoted(written);
  if (written === PLACEHOLDER || isHarmless(name, /^-?\d/.test(written) ? Number.parseFloat(written) : value))
    return;
  onFound?.(foundByName(name, place, value));
  clean.replace(start, end, PLACEHOLDER);
}

/**
 * Strings may hold JSON of their own, code, a query, or a secret that is not to be seen from outside.
 *
 * @param isJson otherwise only those with escapes are strings for sure
 */
function redactStrings(text: string, isJson: boolean, context: Context): string {
  const { redaction, place, onFound } = context;
  const clean = new SplicedText(text);
  let name = '';
  for (let quote = text.indexOf('"'); quote >= 0; ) {
    const end = skipString(text, quote);
    const inside = text.slice(quote + 1, end - 1);
    const plain = unescaped(inside);
    if (isJson || plain !== inside) {
      const result = isCodeName(name)
        ? redactPlain(plain, redaction, place, onFound)
        : redactText(plain, redaction, place, onFound, true);
      if (result !== plain) clean.replace(quote, end, JSON.stringify(result));
    }
    const colon = isJson ? skipSpace(text, end) : -1;
    name = text[colon] === ':' ? plain : '';
    if (name !== '') redactMember(clean, text, name, skipSpace(text, colon + 1), context);
    quote = text.indexOf('"', Math.max(end, clean.end));
  }
  return clean.toString();
}

/** An object or list that is open, with the token of the place that comes next. */
interface Level {
  pointer: string;
  node: PatternNode;
  /** An index, or the name that was read last. */
  token: number | string;
  /** The next string is a name. */
  takesName: boolean;
}

/**
 * Replaces the values at places in whatever holds JSON documents, one or many, the last one perhaps cut: each is walked
 * as far as it can be read, and begins anew at the next brace or bracket.
 */
function redactPlaces(text: string, patterns: PatternNode, onFound: OnFound | undefined): string {
  const clean = new SplicedText(text);
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    const level = levels.at(-1);
    const isOpened = char === Char.OpenBrace || char === Char.OpenBracket;
    if (level === undefined && !isOpened) continue;
    if (char === Char.CloseBrace || char === Char.CloseBracket) levels.pop();
    else if (level !== undefined && char === Char.Comma) {
      if (typeof level.token === 'number') level.token++;
      else level.takesName = true;
    } else if (level?.takesName && char === Char.Quote) {
      const end = skipString(text, at);
      level.token = unescaped(text.slice(at + 1, end - 1));
      level.takesName = false;
      at = end - 1;
    } else if (char > Char.Space && char !== Char.Colon) {
      const node = level === undefined ? patterns : patternsBelow(level.node, level.token);
      const pointer = level === undefined ? '' : `${level.pointer}/${escapeToken(level.token)}`;
      if (node?.matches) {
        const end = endOfValue(text, at);
        const value = text.slice(at, end);
        if (value !== PLACEHOLDER)
          onFound?.({ what: `the pointer ${pointer}`, place: pointer, isDetected: false, value });
        clean.replace(at, end, PLACEHOLDER);
        at = end - 1;
      } else if (node !== undefined && isOpened) {
        const isList = char === Char.OpenBracket;
        levels.push({ pointer, node, token: isList ? 0 : '', takesName: !isList });
      } else if (isOpened || char === Char.Quote) at = endOfValue(text, at) - 1;
    }
  }
  return clean.toString();
}

/** `token=abc&limit=1` -> `token=[redacted]&limit=1`: a query without its `?`, or a form; `;` may part it, too. */
export function redactPairs(pairs: string, redaction: Redaction, place = 'query', onFound?: OnFound): string {
  return pairs.split('&').map(redactPair).join('&');

  /** What follows a secret name is hidden to the end: a `;` may be part of it, or not. */
  function redactPair(pair: string): string {
    let start = 0;
    for (let equals = pair.indexOf('='); equals >= 0; equals = pair.indexOf('=', start)) {
      const name = decodePart(pair.slice(start, equals));
      const value = pair.slice(equals + 1);
      if (isSecretParameter(name, decodePart(value), pairs, redaction.members)) {
        if (value !== REDACTED) onFound?.(foundByName(name, `${place}/${name}`, decodePart(value)));
        return pair.slice(0, equals + 1) + REDACTED;
      }
      const next = pair.indexOf(';', equals);
      if (next < 0) break;
      start = next + 1;
    }
    const equals = pair.indexOf('=');
    if (equals < 0) return redactPart(pair, place);
    const name = pair.slice(0, equals);
    return `${redactPart(name, place)}=${redactPart(pair.slice(equals + 1), `${place}/${decodePart(name)}`)}`;
  }

  function redactPart(part: string, where: string): string {
    const plain = decodePart(part);
    if (plain.length < SHORTEST && redaction.patterns.length === 0) return part;
    const clean = redactText(plain, redaction, where, onFound, true);
    if (clean === plain) return part;
    return clean === REDACTED || plain === part ? clean : encodePart(clean);
  }
}

/** A name of a URL or form that stands in a text, or of a URL that is encoded in another one. */
const ASSIGNED = /(?<=^|[?&;#\s"'({<,|]|%(?:25)*(?:3F|26|3B|23))([\w.~%[\]-]{1,100}?)(?:=|%(?:25)*3D)/gi;
const ASSIGNED_END = /[&;#\s"'<>\\]|%(?:25)*(?:26|3B|23)/gi;

function redactAssigned(text: string, { redaction, place, onFound }: Context): string {
  const clean = new SplicedText(text);
  for (const { 0: head, 1: written = '', index } of text.matchAll(ASSIGNED)) {
    if (index < clean.end) continue;
    const start = index + head.length;
    ASSIGNED_END.lastIndex = start;
    const end = ASSIGNED_END.exec(text)?.index ?? text.length;
    const [name, value] = [decodePart(written), decodePart(text.slice(start, end))];
    if (text.slice(start, end) === REDACTED) continue;
    if (!isSecretParameter(name, value, text, redaction.members)) continue;
    onFound?.(foundByName(name, place, value));
    clean.replace(start, end, REDACTED);
  }
  return clean.toString();
}

const BEFORE_QUOTED = /(?<![\w-])(["']?)([\w-]{1,64})\1[ \t]{0,8}[:=][ \t]{0,8}(?=["'])/g;
const LINE =
  /((?:^[ \t]{0,32}(?:- )?|["'])([\w.-]{1,64})(?::[ \t]{1,8}|[ \t]{1,8}=[ \t]{0,8}))([^\s"'[\]{}]+)(?=["'\r\n]|$)/gm;
const BLANK = '[ \\t]';
/** A text of several lines in YAML: all that is indented more than its name, which may begin an item of a list. */
const BLOCKS = ['', '- '].map(
  (item) =>
    new RegExp(
      `^((${BLANK}{0,32})${item}([\\w.-]{1,64}):${BLANK}{1,8}[|>][+\\d-]{0,2}${BLANK}{0,8}\\r?\\n)((?:\\2${' '.repeat(item.length)}${BLANK}.*(?:\\r?\\n|$)|\\r?\\n)+)`,
      'gm',
    ),
);

/**
 * Secrets that are named as other languages than JSON write it: `token: "x"` and `token = 'x'` (GraphQL, JavaScript,
 * TOML, attributes), `X-Api-Key: x1` and `token = x1` as lines of their own (headers, YAML, INI), lines below
 * `token: |`, `<token>x</token>`.
 */
function redactWritten(text: string, { redaction, place, onFound }: Context): string {
  const isSecret = (name: string, value: string) => {
    if (!redaction.members.has(name) || isHarmless(name, value) || value === REDACTED) return false;
    onFound?.(foundByName(name, place, value));
    return true;
  };
  const quoted = new SplicedText(text);
  for (const { 0: head, 2: name = '', index } of text.matchAll(BEFORE_QUOTED)) {
    const quote = index + head.length;
    if (quote < quoted.end) continue;
    const end = endOfQuoted(text, quote);
    if (isSecret(name, text.slice(quote + 1, end))) quoted.replace(quote + 1, end, REDACTED);
  }
  // Words stand behind "token:" too.
  let clean = quoted
    .toString()
    .replace(LINE, (all, head: string, name: string, value: string) =>
      (/\d/.test(value) || value.length >= 16) && isSecret(name, value) ? head + REDACTED : all,
    );
  for (const block of BLOCKS) {
    clean = clean.replace(block, (all, head: string, _, name: string, lines: string) =>
      isSecret(name, lines.trim()) ? head + lines.replace(/\S(?:.*\S)?/s, REDACTED) : all,
    );
  }
  return clean.includes('<') ? redactElements(clean, isSecret) : clean;
}

/** Before the quote that closes it, or before the line's end. */
function endOfQuoted(text: string, quote: number): number {
  const ends = [text[quote], '\n', '\r', undefined];
  let at = quote + 1;
  while (!ends.includes(text[at])) at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

const TAG = /<(\/?)((?:[\w.-]{1,64}:)?([\w.-]{1,64}))((?:\s[^<>]{0,2000})?)>/g;

/** What stands between the tags of a secret name, tags of its own included. */
function redactElements(text: string, isSecret: (name: string, value: string) => boolean): string {
  const clean = new SplicedText(text);
  /** Nothing is looked for in vain twice. */
  const unclosed = new Set<string>();
  for (const { 0: tag, 1: slash, 2: name = '', 3: local = '', 4: rest = '', index } of text.matchAll(TAG)) {
    if (index < clean.end || slash || rest.endsWith('/') || unclosed.has(name)) continue;
    const start = index + tag.length;
    const end = text.indexOf(`</${name}>`, start);
    if (end < 0) unclosed.add(name);
    else if (isSecret(local, text.slice(start, end))) clean.replace(start, end, REDACTED);
  }
  return clean.toString();
}

/** What stood between the quotes of a string, without escapes; as it is where it breaks the grammar. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

/** The text that a string stands for; anything else as it is written. */
function unquoted(value: string): string {
  return value.startsWith('"') ? unescaped(value.replace(/^"|"$/g, '')) : value.trim();
}

/** Ends a number or literal. */
const BARE_END = /[,\]}\r\n]/g;

/** The offset behind the value that starts here; the text's end where it is cut. */
function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === Char.Quote) return skipString(text, from);
  if (first !== Char.OpenBrace && first !== Char.OpenBracket) {
    BARE_END.lastIndex = from;
    return BARE_END.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === Char.Quote) at = skipString(text, at) - 1;
    else if (char === Char.OpenBrace || char === Char.OpenBracket) depth++;
    else if ((char === Char.CloseBrace || char === Char.CloseBracket) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** A text of which spans are replaced, one behind the other. */
class SplicedText {
  readonly #text: string;
  #clean = '';
  /** What stands behind this offset is not replaced yet. */
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  replace(from: number, to: number, by: string): void {
    this.#clean += this.#text.slice(this.end, from) + by;
    this.end = to;
  }

  toString(): string {
    return this.end === 0 ? this.#text : this.#clean + this.#text.slice(this.end);
  }
}

/** A part of a query or form, percent-decoded; as it stands where it cannot be decoded. */
export function decodePart(part: string): string {
  if (!/[%+]/.test(part)) return part;
  const spaced = part.replaceAll('+', ' ');
  // An exception takes longer than to find that out.
  if (/%(?![\da-f]{2})/i.test(spaced)) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

const ENCODED = encodeURIComponent(REDACTED);

/** A part of a query, form or path, percent-encoded but for placeholders, which are to be seen as such. */
export function encodePart(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replaceAll(ENCODED, REDACTED);
}
