import { type JsonValue, parseJson } from '../../json/json.ts';
import { skipValue } from '../../json/json-text.ts';
import { matchesPattern } from '../../json/pointer-pattern.ts';
import { type Container, scanJson, skipString, UNLIMITED } from '../../json/scan-json.ts';
import { ASKING, editsOfNamed, mayHold, TELLING } from './named.ts';
import { isHarmless, roleOf, SIGN_IN } from './names.ts';
import { type Edit, edited, type Hide, hidden, holdsPlaceholder, isRedacted, REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';
import { SHORTEST_TOKEN, secretsIn } from './shapes.ts';

/** A document in a line of its own, or in an event. */
const JSON_LINE = /(?<=^(?:data: ?)?)[[{].*[\]}]$/gm;

/** A text of any kind: JSON by its structure, anything else in one pass for names with a value and for what looks like a secret.
 *  @param hide the placeholder of what looks like a secret */
export function redactText(text: string, redaction: Redaction, hide: Hide = hidden): string {
  if (text.startsWith('\ufeff')) return `\ufeff${redactText(text.slice(1), redaction, hide)}`;
  if (!mayHold(text, redaction)) return text;
  const document = redactDocument(text, redaction);
  if (document !== undefined) return document;
  const cleanLine = (line: string) => (mayHold(line, redaction) && redactDocument(line, redaction)) || line;
  const lines = text.replace(JSON_LINE, cleanLine);
  return redactPlain(lines, redaction, hide, editsOfNamed(lines, redaction));
}

/** A JSON value; the very one if nothing is hidden. */
export function redactJson<T extends JsonValue>(value: T, redaction: Redaction): T {
  const text = JSON.stringify(value);
  const clean = redactText(text, redaction);
  return clean === text ? value : (JSON.parse(clean) as T);
}

/** Hides known secrets, and all that looks like one, in text of any kind. @param edits of what is hidden beside it */
export function redactPlain(text: string, redaction: Redaction, hide = hidden, edits: Edit[] = []): string {
  for (const { from, to } of secretsIn(text)) {
    const secret = text.slice(from, to);
    if (isRedacted(secret)) continue;
    redaction.onSecret?.(secret);
    edits.push([from, to, hide(secret)]);
  }
  for (const secret of redaction.texts)
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      edits.push([at, at + secret.length, hide(secret)]);
  return edited(text, edits);
}

/** Members that name what `value` beside them is: `{"name": "DB_PASSWORD", "value": …}`; in JSON Patch, `path` does. */
const TELLS = new RegExp(`^(?:${TELLING})$`, 'i');
const ASKS = new RegExp(`^(?:${ASKING})$`, 'i');
/** How it begins. */
const DOCUMENT = /^\s*(?:\{\s*["}]|\[\s*(?:[[{"\]\d-]|true|false|null)|"\s*[[{\\])/;
/** Nested deeper, a value is hidden as a whole. */
const MOST_LEVELS = 128;

/** The text of a JSON document (an object, a list, or a string) without its secrets, all else as it was written: numbers, spaces,
 *  members that come twice. Undefined: it is none. */
export function redactDocument(text: string, redaction: Redaction): string | undefined {
  // An exception takes long.
  if (!DOCUMENT.test(text) || !/[\]}"]/.test(text.trimEnd().at(-1) as string)) return undefined;
  if (parseJson(text) === undefined) return undefined;
  const { members, pointers, texts, onSecret } = redaction;
  const whole: Edit[] = [];
  const parts: Edit[] = [];
  /** The name of a secret that a member of an object, or the first item of a list, tells; and the values that one may name. */
  const told = new Map<Container, string>();
  const asked: [Container, number][] = [];
  const isSignIn = SIGN_IN.test(text);
  let done = 0;
  scanJson(text, UNLIMITED, undefined, (open, from) => {
    if (from < done) return;
    const holder = open.at(-1);
    // A name can be a secret itself.
    if (holder?.isObject && (texts.length > 0 || holder.name.length >= SHORTEST_TOKEN))
      replace(holder.nameOffset, holder.name, redactPlain(holder.name, redaction));
    if (open.length > MOST_LEVELS || isSecretPlace(open, from)) hide(from);
    else if (text[from] === '"') redactString(from, holder);
    // There is no placeholder for some digits.
    else if (
      texts.length > 0 &&
      !isContainer(from) &&
      texts.some((secret) => writtenAt(from).includes(secret))
    )
      hide(from);
    if (holder) notePair(open, holder, from);
  });
  for (const [holder, from] of asked) {
    const name = told.get(holder);
    const isPair = holder.isObject || holder.index === 1;
    if (name !== undefined && isPair && !isHarmless(name, valueAt(from))) hide(from);
  }
  return edited(text, [...whole, ...parts]);

  function isSecretPlace(open: readonly Container[], from: number): boolean {
    if (
      pointers &&
      matchesPattern(
        pointers,
        open.map(({ token }) => token),
      )
    )
      return true;
    const { name, isObject } = open.at(-1) ?? {};
    if (!isObject || !name || members.kindOf(name) === 'plain') return false;
    return members.isSecret(name, valueAt(from), isSignIn);
  }

  function notePair(open: readonly Container[], holder: Container, from: number): void {
    const { name, index, isObject } = holder;
    // A list in a list may be a pair: `["password", "x"]`.
    if (!isObject && (index > 1 || open.at(-2)?.isObject !== false)) return;
    if (isObject ? ASKS.test(name) : index === 1) asked.push([holder, from]);
    if (isObject ? !TELLS.test(name) : index === 1) return;
    // The last name in a path, or the whole. What was redacted before is no name, although `token=[redacted]` reads as one.
    const last = String(valueAt(from)).replace(/^.*\//s, '');
    if (!holdsPlaceholder(last) && members.has(last)) told.set(holder, last);
  }

  function redactString(from: number, holder: Container | undefined): void {
    const plain = valueAt(from) as string;
    if (!mayHold(plain, redaction)) return;
    const role = holder?.isObject ? roleOf(holder.name) : undefined;
    // An id has the shape of a token.
    if (role === 'id' && texts.length === 0 && ID.test(plain)) return;
    replace(from, plain, (role === 'code' ? redactPlain : redactText)(plain, redaction));
  }

  function isContainer(from: number): boolean {
    return text[from] === '{' || text[from] === '[';
  }

  function writtenAt(from: number): string {
    return text.slice(from, skipValue(text, from));
  }

  /** The value at an offset; a list or object counts as an empty one. */
  function valueAt(from: number): JsonValue {
    return isContainer(from) ? {} : (JSON.parse(writtenAt(from)) as JsonValue);
  }

  function replace(from: number, before: string, after: string): void {
    if (after !== before) parts.push([from, skipString(text, from), JSON.stringify(after)]);
  }

  function hide(from: number): void {
    const written = writtenAt(from);
    done = Math.max(done, from + written.length);
    if (isRedacted(written.slice(1, -1))) return;
    onSecret?.(JSON.parse(written) as JsonValue);
    whole.push([from, from + written.length, `"${REDACTED}"`]);
  }
}

/** An identifier, and no token of a known kind. */
const ID = /^(?!eyJ|A[KSI][A-Zz]a?|gh[pousr]_|sk[_-])[\w.:=/+-]+$/;
