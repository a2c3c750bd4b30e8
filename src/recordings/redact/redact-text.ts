import { type JsonValue, parseJson } from '../../json/json.ts';
import { skipValue } from '../../json/json-text.ts';
import { matchesPattern } from '../../json/pointer-pattern.ts';
import { type Container, scanJson, skipString, UNLIMITED } from '../../json/scan-json.ts';
import { ASKING, editsOfNamed, mayHold, TELLING } from './named.ts';
import { isHarmless, roleOf, SIGN_IN } from './names.ts';
import {
  betweenPlaceholders,
  type Edit,
  edited,
  type Hide,
  hidden,
  holdsPlaceholder,
  isRedacted,
  REDACTED,
} from './redacted.ts';
import type { Redaction } from './redaction.ts';
import { matchAt, SHORTEST_TOKEN, secretsIn } from './shapes.ts';

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
  return redactPlain(edited(lines, editsOfNamed(lines, redaction)), redaction, hide);
}

/** A JSON value; the very one if nothing is hidden. */
export function redactJson<T extends JsonValue>(value: T, redaction: Redaction): T {
  const text = JSON.stringify(value);
  const clean = redactText(text, redaction);
  return clean === text ? value : (JSON.parse(clean) as T);
}

/** Hides known secrets, and all that looks like one, in text of any kind. */
export function redactPlain(text: string, redaction: Redaction, hide: Hide = hidden): string {
  const { texts, onSecret } = redaction;
  const edits: Edit[] = [];
  for (const { from, to } of secretsIn(text)) {
    const secret = text.slice(from, to);
    if (isRedacted(secret)) continue;
    onSecret?.(secret);
    edits.push([from, to, hide(secret)]);
  }
  let clean = edited(text, edits);
  for (const secret of texts)
    if (clean.includes(secret))
      clean = betweenPlaceholders(clean, (part) => part.replaceAll(secret, hide(secret)));
  return clean;
}

/** Members that name what `value` beside them is: `{"name": "DB_PASSWORD", "value": …}`; in JSON Patch, `path` does. */
const TELLS = new RegExp(`^(?:${TELLING})$`, 'i');
const ASKS = new RegExp(`^(?:${ASKING})$`, 'i');
const END_OF_LIST = /\s*\]/y;
/** How it begins. */
const DOCUMENT = /^\s*(?:\{\s*["}]|\[\s*(?:[[{"\]\d-]|true|false|null)|"\s*[[{\\])/;
/** Nested deeper, a value is hidden as a whole. */
const MOST_LEVELS = 128;

/** What the members of an object, or the two items of a list, say of each other. */
interface Beside {
  holder: Container;
  /** The name of a secret. */
  told?: string;
  /** Offsets of the values that it would name. */
  asked: number[];
}

/** The text of a JSON document (an object, a list, or a string) without its secrets, all else as it was written: numbers, spaces,
 *  members that come twice. Undefined: it is none. */
export function redactDocument(text: string, redaction: Redaction): string | undefined {
  // An exception takes long.
  if (!DOCUMENT.test(text) || !/[\]}"]/.test(text.trimEnd().at(-1) as string)) return undefined;
  if (parseJson(text) === undefined) return undefined;
  const { members, pointers, texts, onSecret } = redaction;
  const edits: Edit[] = [];
  const besideByLevel: Beside[] = [];
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
    else if (texts.length > 0 && !isContainer(from)) {
      const written = writtenAt(from);
      // There is no placeholder for some digits.
      if (texts.some((secret) => written.includes(secret))) hide(from);
    }
  });
  // Of two of one value the later one counts: it hides the whole.
  edits.reverse().sort((a, b) => a[0] - b[0]);
  return edited(text, edits);

  function isSecretPlace(open: readonly Container[], from: number): boolean {
    const tokens = pointers && open.map(({ token }) => token);
    if (tokens && matchesPattern(pointers, tokens)) return true;
    const holder = open.at(-1);
    if (!holder) return false;
    const { name, index, isObject } = holder;
    if (isObject && members.kindOf(name) !== 'plain' && members.isSecret(name, valueAt(from), isSignIn))
      return true;
    // A list in a list may be a pair: `["password", "x"]`.
    const isItem = !isObject && open.at(-2)?.isObject === false;
    const isAsking = isObject
      ? ASKS.test(name)
      : isItem && index === 1 && matchAt(END_OF_LIST, text, from + writtenAt(from).length) !== '';
    const isTelling = isObject ? TELLS.test(name) : isItem && index === 0;
    if (!isAsking && !isTelling) return false;
    const level = open.length;
    if (besideByLevel[level]?.holder !== holder) besideByLevel[level] = { holder, asked: [] };
    const beside = besideByLevel[level];
    if (isTelling) tell(beside, from);
    else if (beside.told === undefined) beside.asked.push(from);
    return isAsking && beside.told !== undefined && !isHarmless(beside.told, valueAt(from));
  }

  /** Notes the last name in a path, or the whole, if it is that of a secret. */
  function tell(beside: Beside, from: number): void {
    const name = String(valueAt(from)).replace(/^.*\//s, '');
    // What was redacted before is no name, although `token=[redacted]` reads as one.
    if (holdsPlaceholder(name) || !members.has(name)) return;
    beside.told = name;
    for (const asked of beside.asked.splice(0)) if (!isHarmless(name, valueAt(asked))) hide(asked);
  }

  function redactString(from: number, holder: Container | undefined): void {
    const plain = valueAt(from) as string;
    if (!mayHold(plain, redaction)) return;
    const role = holder?.isObject ? roleOf(holder.name) : undefined;
    if (role === 'id' && texts.length === 0 && isIdentifier(plain)) return;
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
    if (after !== before) edits.push([from, skipString(text, from), JSON.stringify(after)]);
  }

  function hide(from: number): void {
    const written = writtenAt(from);
    done = Math.max(done, from + written.length);
    if (isRedacted(written.slice(1, -1))) return;
    onSecret?.(JSON.parse(written) as JsonValue);
    edits.push([from, from + written.length, `"${REDACTED}"`]);
  }
}

/** An id has the shape of a token. */
function isIdentifier(plain: string): boolean {
  return /^[\w.:=/+-]+$/.test(plain) && !/^(?:eyJ|A[KSI][A-Zz]a?|gh[pousr]_|sk[_-])/.test(plain);
}
