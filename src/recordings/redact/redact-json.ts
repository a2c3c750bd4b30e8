import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { skipSpace, skipValue } from '../../json/json-text.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { skipString } from '../../json/scan-json.ts';
import { isHarmless, isOpenSecret } from './names.ts';
import { type Edit, edited, isRedacted, REDACTED } from './redacted.ts';
import { type OnSecret, type Redaction, redactPlain, SHORTEST } from './redaction.ts';
import { SHORTEST_TOKEN } from './shapes.ts';

/** Members that say what the `value` beside them is called. */
const NAMING = ['name', 'key', 'Name', 'Key', 'header', 'field'];
const MOST_LEVELS = 128;

/** Redacts a text of any kind: one that a string holds. */
type RedactString = (text: string, redaction: Redaction, onSecret?: OnSecret) => string;

/**
 * The text of a JSON document with its secrets replaced, all else as it was written: numbers, spaces, members that come twice.
 *
 * @param parsed what it says
 */
export function redactDocument(
  text: string,
  parsed: JsonValue,
  redaction: Redaction,
  redactString: RedactString,
  onSecret?: OnSecret,
): string {
  const { members, texts, pointers } = redaction;
  const isOwn = texts.length > 0;
  const edits: Edit[] = [];
  walk(skipSpace(text, 0), parsed, undefined, pointers, 0);
  return edited(text, edits);

  /** @param value what stands here, but for a member that comes twice @returns the offset behind it */
  function walk(
    at: number,
    value: JsonValue | undefined,
    name: string | undefined,
    node: PatternNode | undefined,
    level: number,
  ): number {
    if (node?.matches) return hide(at);
    const isDeep = level === MOST_LEVELS;
    if (text[at] === '{' && !isDeep) return walkObject(at, isObject(value) ? value : {}, node, level + 1);
    if (text[at] === '[' && !isDeep) {
      const isPair = level > 0 && name === undefined;
      return walkList(at, Array.isArray(value) ? value : [], node, isPair, level + 1);
    }
    const end = skipValue(text, at);
    if (isDeep) replace(at, end, text.slice(at, end), redactPlain(text.slice(at, end), redaction, onSecret));
    else if (text[at] === '"') redactAt(at, end, name);
    else if (isOwn && isOwnSecret(text.slice(at, end))) hide(at);
    return end;
  }

  function walkObject(
    start: number,
    object: JsonObject,
    node: PatternNode | undefined,
    level: number,
  ): number {
    let at = skipSpace(text, start + 1);
    while (text[at] === '"') {
      const nameEnd = skipString(text, at);
      const name = stringAt(at, nameEnd);
      // A name can be a secret itself.
      if (isOwn || name.length >= SHORTEST_TOKEN)
        replace(at, nameEnd, name, redactPlain(name, redaction, onSecret));
      const from = skipSpace(text, skipSpace(text, nameEnd) + 1);
      const isSecret = isSecretMember(name, from, object);
      at = next(
        isSecret ? hide(from) : walk(from, object[name], name, node && patternsBelow(node, name), level),
      );
    }
    return at + 1;
  }

  function isSecretMember(name: string, from: number, beside: JsonObject): boolean {
    const { kind } = members.meaning(name);
    if (kind === 'secret') return !isHarmless(name, valueAt(from));
    if (kind === 'open') {
      const isOAuth = name === 'code' && (beside.grant_type ?? beside.redirect_uri) !== undefined;
      return isOAuth || (text[from] === '"' && isOpenSecret(name, valueAt(from)));
    }
    if (name !== 'value' && name !== 'Value') return false;
    // The last name in the path of a JSON Patch.
    const naming = beside.op === undefined ? NAMING.find((one) => typeof beside[one] === 'string') : 'path';
    const called = naming === undefined ? '' : String(beside[naming]).replace(/^.*\//s, '');
    return members.has(called) && !isHarmless(called, valueAt(from));
  }

  /** @param isPair `["password", "x"]`, where it has two items: in a list, as headers and fields are written */
  function walkList(
    start: number,
    list: JsonValue[],
    node: PatternNode | undefined,
    isPair: boolean,
    level: number,
  ): number {
    const [called, named] = isPair && list.length === 2 ? list : [];
    const isNamed = typeof called === 'string' && typeof named === 'string';
    const isSecret = isNamed && members.has(called) && !members.has(named);
    let at = skipSpace(text, start + 1);
    for (let i = 0; text[at] !== ']' && at < text.length; i++) {
      const below = node && patternsBelow(node, i);
      at = next(isSecret && i === 1 ? hide(at) : walk(at, list[i], undefined, below, level));
    }
    return at + 1;
  }

  /** The offset behind a value and the comma that follows it. */
  function next(at: number): number {
    const end = skipSpace(text, at);
    return text[end] === ',' ? skipSpace(text, end + 1) : end;
  }

  function redactAt(at: number, end: number, name: string | undefined): void {
    if (end - at - 2 < SHORTEST) return;
    const plain = stringAt(at, end);
    const meaning = name === undefined ? undefined : members.meaning(name);
    if (meaning?.isId && isIdentifier(plain)) return;
    replace(at, end, plain, (meaning?.isCode ? redactPlain : redactString)(plain, redaction, onSecret));
  }

  /** An id has the shape of a token. */
  function isIdentifier(plain: string): boolean {
    return !isOwn && /^[\w.:=/+-]+$/.test(plain) && !/^(?:eyJ|A[KSI][A-Zz]a?|gh[pousr]_|sk[_-])/.test(plain);
  }

  /** A number that matches as a whole or in part: there is no placeholder for some digits. */
  function isOwnSecret(number: string): boolean {
    return redactPlain(number, { ...redaction, detects: false }) !== number;
  }

  /** A list or object counts as an empty one. */
  function valueAt(from: number): JsonValue {
    const isList = text[from] === '{' || text[from] === '[';
    return isList ? {} : (JSON.parse(text.slice(from, skipValue(text, from))) as JsonValue);
  }

  function stringAt(from: number, to: number): string {
    const written = text.slice(from + 1, to - 1);
    return written.includes('\\') ? (JSON.parse(text.slice(from, to)) as string) : written;
  }

  function replace(from: number, to: number, before: string, after: string): void {
    if (after !== before) edits.push([from, to, JSON.stringify(after)]);
  }

  function hide(from: number): number {
    const to = skipValue(text, from);
    if (isRedacted(text.slice(from + 1, to - 1))) return to;
    onSecret?.(JSON.parse(text.slice(from, to)) as JsonValue, true);
    edits.push([from, to, `"${REDACTED}"`]);
    return to;
  }
}
