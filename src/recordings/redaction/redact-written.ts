import { Char } from '../../json/json-lexer.ts';
import { foundByName, type OnFound } from './found-secret.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';
import { isHarmless } from './secret-name.ts';
import { SplicedText } from './spliced-text.ts';

/** The placeholder, and the secret is told of; undefined: it is none. */
type Hide = (name: string, value: string) => string | undefined;

/**
 * Secrets that are named as other languages than JSON write it: `token: "x"` and `token = 'x'` (GraphQL, JavaScript,
 * TOML, attributes), `X-Api-Key: x1` and `token = x1` as lines of their own
 * (headers, YAML, INI), lines below `token: |`, `<token>x</token>`.
 */
export function redactWritten(text: string, redaction: Redaction, place: string, onFound?: OnFound): string {
  const hide: Hide = (name, value) => {
    if (!redaction.members.has(name)) return undefined;
    if (isHarmless(name, value) || value === REDACTED) return undefined;
    onFound?.(foundByName(name, place, value));
    return REDACTED;
  };
  let clean = redactQuoted(text, hide).replace(LINE, (all, head: string, name: string, value: string) => {
    const hidden = isLikeSecret(value) ? hide(name, value) : undefined;
    return hidden === undefined ? all : head + hidden;
  });
  for (const block of BLOCKS) {
    clean = clean.replace(block, (all, head: string, _, name: string, lines: string) => {
      const hidden = hide(name, lines.trim());
      return hidden === undefined ? all : head + lines.replace(/\S(?:.*\S)?/s, hidden);
    });
  }
  return clean.includes('<') ? redactElements(clean, hide) : clean;
}

const BEFORE_QUOTED = /(?<![\w-])(["']?)([\w-]{1,64})\1[ \t]{0,8}[:=][ \t]{0,8}(?=["'])/g;

function redactQuoted(text: string, hide: Hide): string {
  const clean = new SplicedText(text);
  for (const { 0: head, 2: name = '', index } of text.matchAll(BEFORE_QUOTED)) {
    const quote = index + head.length;
    if (quote < clean.end) continue;
    const end = endOfQuoted(text, quote);
    const hidden = hide(name, text.slice(quote + 1, end));
    if (hidden !== undefined) clean.replace(quote + 1, end, hidden);
  }
  return clean.toString();
}

/** Before the quote that closes it, or before the line's end. */
function endOfQuoted(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === Char.Backslash) at++;
    else if (char === text.charCodeAt(quote) || char === Char.LineFeed || char === Char.Return) return at;
  }
  return text.length;
}

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

/** Words stand behind "token:" too. */
function isLikeSecret(value: string): boolean {
  return /\d/.test(value) || value.length >= 16;
}

const TAG = /<(\/?)((?:[\w.-]{1,64}:)?([\w.-]{1,64}))((?:\s[^<>]{0,2000})?)>/g;

/** What stands between the tags of a secret name, tags of its own included. */
function redactElements(text: string, hide: Hide): string {
  /** Where the last end of each is: nothing is looked for in vain. */
  const ends = new Map<string, number>();
  for (const { 1: slash, 2: name = '', 4: rest, index } of text.matchAll(TAG)) {
    if (slash && rest === '') ends.set(name, index);
  }
  const clean = new SplicedText(text);
  for (const { 0: tag, 1: slash, 2: name = '', 3: local = '', 4: rest = '', index } of text.matchAll(TAG)) {
    if (index < clean.end || slash || rest.endsWith('/') || (ends.get(name) ?? -1) < index) continue;
    const start = index + tag.length;
    const end = text.indexOf(`</${name}>`, start);
    const hidden = hide(local, text.slice(start, end));
    if (hidden !== undefined) clean.replace(start, end, hidden);
  }
  return clean.toString();
}
