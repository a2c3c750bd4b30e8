import type { JsonValue } from '../../json/json.ts';
import { skipSpace, skipValue } from '../../json/json-text.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { skipString } from '../../json/scan-json.ts';
import { isHarmless, isOpenSecret } from './names.ts';
import { Edits, isRedacted, REDACTED } from './redacted.ts';
import { type OnSecret, type Redaction, redactPlain, SHORTEST } from './redaction.ts';
import { SHORTEST_TOKEN } from './shapes.ts';

/** Members that say what the `value` beside them is called. */
const NAMING = ['name', 'key', 'Name', 'Key', 'header', 'field'];
/** Members that tell of one another: those, a JSON Patch, a request of OAuth. */
const TELLING: ReadonlySet<string> = new Set([
  ...[...NAMING, 'value', 'Value', 'op', 'path'],
  ...['code', 'grant_type', 'redirect_uri'],
]);
const MOST_LEVELS = 128;

/** Where a value stands, and the numbers of the edits within it. */
interface Span {
  from: number;
  to: number;
  first: number;
  last: number;
}

/** Redacts a text of any kind: one that a string holds. */
export type RedactString = (text: string, redaction: Redaction, onSecret?: OnSecret) => string;

/** The text of a JSON document with its secrets replaced, all else as it was written: numbers, spaces, members that come twice. */
export function redactDocument(
  text: string,
  redaction: Redaction,
  redactString: RedactString,
  onSecret?: OnSecret,
): string {
  const { members, patterns, texts, pointers } = redaction;
  const shortest = patterns.length > 0 ? 1 : SHORTEST;
  const hidesNumbers = patterns.length > 0 || texts.length > 0;
  const shortestName = hidesNumbers ? shortest : SHORTEST_TOKEN;
  const edits = new Edits(text);
  value(skipSpace(text, 0), undefined, pointers, 0);
  return edits.toString();

  /** @returns the offset behind the value that starts here */
  function value(at: number, name: string | undefined, node: PatternNode | undefined, level: number): number {
    if (text[at] === '{' || text[at] === '[') {
      if (!node?.matches && level < MOST_LEVELS)
        return text[at] === '{'
          ? object(at, node, level + 1)
          : list(at, node, level > 0 && name === undefined, level + 1);
      const end = skipValue(text, at);
      const clean = node?.matches ? `"${REDACTED}"` : redactPlain(text.slice(at, end), redaction, onSecret);
      if (clean !== text.slice(at, end)) edits.add(at, end, clean);
      return end;
    }
    const end = skipValue(text, at);
    if (node?.matches) hide(at, end);
    else if (text[at] === '"') string(at, end, name);
    else if (hidesNumbers && isSecretNumber(text.slice(at, end))) edits.add(at, end, `"${REDACTED}"`);
    return end;
  }

  function string(at: number, end: number, name: string | undefined): void {
    if (end - at - 2 < shortest) return;
    const plain = stringAt(at, end);
    const { isId = false, isCode = false } = name === undefined ? {} : members.meaning(name);
    if (isId && isIdentifier(plain)) return;
    replace(at, end, plain, (isCode ? redactPlain : redactString)(plain, redaction, onSecret));
  }

  /** An id has the shape of a token. */
  function isIdentifier(plain: string): boolean {
    return (
      !hidesNumbers && /^[\w.:=/+-]+$/.test(plain) && !/^(?:eyJ|A[KSI][A-Zz]a?|gh[pousr]_|sk[_-])/.test(plain)
    );
  }

  /** One that matches as a whole or in part: there is no placeholder for some digits. */
  function isSecretNumber(number: string): boolean {
    return (
      texts.includes(number) || patterns.some((pattern) => number.match(pattern)?.some((part) => part !== ''))
    );
  }

  function list(start: number, node: PatternNode | undefined, isItem: boolean, level: number): number {
    let at = skipSpace(text, start + 1);
    const items: Span[] = [];
    for (let i = 0; text[at] !== ']' && at < text.length; i++) {
      const first = edits.count;
      const to = value(at, undefined, node && patternsBelow(node, i), level);
      if (isItem && i < 3) items.push({ from: at, to, first, last: edits.count });
      at = next(to);
    }
    // `["password", "x"]` in a list, as headers and fields are written.
    const [name, item, more] = items;
    if (name && item && !more && members.has(nameIn(name)) && !members.has(nameIn(item, 'password')))
      cover(item);
    return at + 1;
  }

  function object(start: number, node: PatternNode | undefined, level: number): number {
    const siblings = new Map<string, Span>();
    let at = skipSpace(text, start + 1);
    while (text[at] === '"') {
      const nameEnd = skipString(text, at);
      const name = stringAt(at, nameEnd);
      // A name can be a secret itself.
      if (name.length >= shortestName) replace(at, nameEnd, name, redactPlain(name, redaction, onSecret));
      const from = skipSpace(text, skipSpace(text, nameEnd) + 1);
      const first = edits.count;
      const to = member(from, name, node && patternsBelow(node, name), level);
      if (TELLING.has(name)) siblings.set(name, { from, to, first, last: edits.count });
      at = next(to);
    }
    if (siblings.size > 1) hideBySiblings(siblings);
    return at + 1;
  }

  function hideBySiblings(siblings: ReadonlyMap<string, Span>): void {
    const named = siblings.get('value') ?? siblings.get('Value');
    const naming = siblings.has('op') ? 'path' : NAMING.find((one) => siblings.has(one));
    // The last name in the path of a JSON Patch.
    const called = naming && nameIn(siblings.get(naming)).replace(/^.*\//s, '');
    if (named && called && members.has(called) && !isHarmless(called, scalar(named))) cover(named);
    const code = siblings.get('code');
    const isOAuth = siblings.has('grant_type') || siblings.has('redirect_uri');
    if (code && isOAuth && members.meaning('code').kind !== 'plain') cover(code);
  }

  function member(from: number, name: string, node: PatternNode | undefined, level: number): number {
    const { kind } = members.meaning(name);
    const isOpen = kind === 'open' && text[from] === '"';
    if (kind !== 'secret' && !isOpen) return value(from, name, node, level);
    const to = skipValue(text, from);
    const written = scalar({ from, to });
    if (isOpen ? !isOpenSecret(name, written) : isHarmless(name, written))
      return value(from, name, node, level);
    hide(from, to);
    return to;
  }

  /** The offset behind a value and the comma that follows it. */
  function next(at: number): number {
    const end = skipSpace(text, at);
    return text[end] === ',' ? skipSpace(text, end + 1) : end;
  }

  /** A value that is no list or object; of these, the empty object. */
  function scalar({ from, to }: Pick<Span, 'from' | 'to'>): JsonValue {
    if (text[from] === '"') return stringAt(from, to);
    return text[from] === '{' || text[from] === '[' ? {} : (JSON.parse(text.slice(from, to)) as JsonValue);
  }

  function stringAt(from: number, to: number): string {
    const written = text.slice(from + 1, to - 1);
    return written.includes('\\') ? (JSON.parse(text.slice(from, to)) as string) : written;
  }

  /** What stands in a span, where it is a string. */
  function nameIn(span: Span | undefined, otherwise = ''): string {
    return span && text[span.from] === '"' ? stringAt(span.from, span.to) : otherwise;
  }

  function replace(from: number, to: number, before: string, after: string): void {
    if (after !== before) edits.add(from, to, JSON.stringify(after));
  }

  function hide(from: number, to: number): void {
    cover({ from, to, first: edits.count, last: edits.count });
  }

  function cover({ from, to, first, last }: Span): void {
    if (isRedacted(text.slice(from + 1, to - 1))) return;
    const isList = text[from] === '{' || text[from] === '[';
    onSecret?.(isList ? (JSON.parse(text.slice(from, to)) as JsonValue) : scalar({ from, to }), true);
    edits.cover(first, last, from, to, `"${REDACTED}"`);
  }
}
