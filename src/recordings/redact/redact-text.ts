import { isObject, type JsonObject, type JsonValue, parseJson } from '../../json/json.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { asWritten, jsonOf, jsonText } from '../body.ts';
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
import { SHORTEST_TOKEN, secretsIn } from './shapes.ts';

/** A document in a line of its own, or in an event. */
const JSON_LINE = /(?<=^(?:data: ?|\ufeff)?)[[{].*[\]}]$/gm;

/** A text of any kind: JSON by its structure, anything else in one pass for names with a value and for what looks like a secret.
 *  @param hide the placeholder of what looks like a secret */
export function redactText(text: string, redaction: Redaction, hide: Hide = hidden): string {
  if (!mayHold(text, redaction)) return text;
  const document = redactDocument(text, redaction);
  if (document !== undefined) return document;
  const lines = text.replace(JSON_LINE, (line) => redactDocument(line, redaction) ?? line);
  return redactPlain(edited(lines, editsOfNamed(lines, redaction)), redaction, hide);
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

/** A JSON document without its secrets, written as it was, or compact if no writer of ours gives it back. Undefined: see `jsonOf`. */
export function redactDocument(text: string, redaction: Redaction): string | undefined {
  const json = text.startsWith('"') ? parseJson(text) : jsonOf({ text });
  if (json === undefined) return undefined;
  const clean = redactValue(json, text, redaction);
  return clean === json ? text : jsonText({ ...asWritten(json, text), json: clean });
}

/** A JSON value; the very one if nothing is hidden. */
export function redactJson<T extends JsonValue>(value: T, redaction: Redaction): T {
  const text = JSON.stringify(value);
  return mayHold(text, redaction) ? (redactValue(value, text, redaction) as T) : value;
}

/** Members that name what `value` beside them is: `{"name": "DB_PASSWORD", "value": …}`; in JSON Patch, `path` does. */
const TELLS = new RegExp(`^(?:${TELLING})$`, 'i');
const ASKS = new RegExp(`^(?:${ASKING})$`, 'i');

function redactValue(value: JsonValue, text: string, redaction: Redaction): JsonValue {
  const { members, pointers, texts, onSecret } = redaction;
  const isSignIn = SIGN_IN.test(text);
  return cleanValue(value, '', pointers);

  /** @param node of the places to hide */
  function cleanValue(value: JsonValue, name: string, node?: PatternNode, isInList = false): JsonValue {
    if (node?.matches) return hide(value);
    if (typeof value === 'string') return cleanString(value, name);
    if (Array.isArray(value)) return cleanList(value, node, isInList);
    if (isObject(value)) return cleanObject(value, node);
    // There is no placeholder for some digits.
    return texts.some((secret) => String(value).includes(secret)) ? hide(value) : value;
  }

  function cleanList(list: JsonValue[], node: PatternNode | undefined, isInList: boolean): JsonValue[] {
    // A list in a list may be a pair: `["password", "x"]`.
    const told = isInList && list.length === 2 ? secretName(list[0]) : undefined;
    const clean = list.map((item, i) => {
      if (i === 1 && told !== undefined && !isHarmless(told, item)) return hide(item);
      return cleanValue(item, '', node && patternsBelow(node, i), true);
    });
    return clean.every((item, i) => item === list[i]) ? list : clean;
  }

  function cleanObject(object: JsonObject, node: PatternNode | undefined): JsonObject {
    const entries = Object.entries(object);
    let told: string | undefined;
    for (const [name, value] of entries) if (TELLS.test(name)) told ??= secretName(value);
    let isSame = true;
    for (const entry of entries) {
      const [name, value] = entry;
      const isSecret =
        members.isSecret(name, value, isSignIn) ||
        (told !== undefined && ASKS.test(name) && !isHarmless(told, value));
      entry[1] = isSecret ? hide(value) : cleanValue(value, name, node && patternsBelow(node, name));
      // A name can be a secret itself.
      if (texts.length > 0 || name.length >= SHORTEST_TOKEN) entry[0] = redactPlain(name, redaction);
      isSame &&= entry[0] === name && entry[1] === value;
    }
    return isSame ? object : Object.fromEntries(entries);
  }

  /** The name of a secret that a value is, perhaps at the end of a path. */
  function secretName(value: JsonValue | undefined): string | undefined {
    const name = String(value).replace(/^.*\//s, '');
    // What was redacted before is no name, although `token=[redacted]` reads as one.
    return members.has(name) && !holdsPlaceholder(name) ? name : undefined;
  }

  function cleanString(plain: string, name: string): string {
    if (!mayHold(plain, redaction)) return plain;
    const role = roleOf(name);
    if (role === 'id' && texts.length === 0 && isIdentifier(plain)) return plain;
    return (role === 'code' ? redactPlain : redactText)(plain, redaction);
  }

  function hide(value: JsonValue): JsonValue {
    if (typeof value === 'string' && isRedacted(value)) return value;
    onSecret?.(value);
    return REDACTED;
  }
}

/** An id has the shape of a token. */
function isIdentifier(plain: string): boolean {
  return /^[\w.:=/+-]+$/.test(plain) && !/^(?:eyJ|A[KSI][A-Zz]a?|gh[pousr]_|sk[_-])/.test(plain);
}
