import type { JsonValue } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';
import { type PatternNode, patternTree } from '../../json/pointer-pattern.ts';
import { isLikeToken, mayHoldSecret } from './secret-kinds.ts';
import { type Names, SecretNames } from './secret-names.ts';

/** One thing that was hidden. */
export interface FoundSecret {
  /** Why: `the name "token"`, `the pointer /users/0/email`, `the pattern \d{16}`, `a GitHub token`. */
  what: string;
  /** `query/token`, `headers/location`, `path`, `body`, or the JSON Pointer of a place in the body. */
  place: string;
  /** Nobody named it: it looks like a secret. */
  isDetected: boolean;
  /** What stood there, for looking for it elsewhere. Never to be written or shown. */
  value: JsonValue;
}

export type OnFound = (found: FoundSecret) => void;

/** What is a secret by its name. */
export function foundByName(name: string, place: string, value: JsonValue): FoundSecret {
  return { what: `the name "${name}"`, place, isDetected: false, value };
}

/** What is redacted. */
export interface Redaction {
  /** Names of headers. */
  headers: Names;
  /** Names of members of queries, forms and JSON bodies. */
  members: Names;
  /** Places in JSON bodies. */
  pointers: PatternNode | undefined;
  /** Regular expressions, each for all matches in a text. */
  patterns: readonly RegExp[];
  /** Whether what looks like a secret is one. */
  detects: boolean;
  /** Texts that are known to be secrets, wherever they stand. */
  texts: readonly string[];
  /** Tokens that messages have named, such as the keys of environments: a later request may have one in its path. */
  given: Set<string>;
  /** False: there is nothing to hide in this text, which may be UTF-8 that is read as Latin-1. */
  mayBeIn(text: string): boolean;
  /** The same of a header's value or a path: the same ones come again and again, so those that hold nothing are remembered. */
  mayBeInRecurring(value: string): boolean;
}

/** As `Config` has them. */
export interface RedactionSettings {
  /** Names beside those that `isSecretName` tells; each counts for headers and members. */
  redact?: readonly string[];
  /** Names that are no secrets, whatever `isSecretName` says. */
  noRedact?: readonly string[];
  /** Patterns of JSON Pointers: `/users/0/email`, with `*` for any one member or item. */
  redactPointers?: readonly string[];
  /** Sources of regular expressions. */
  redactPatterns?: readonly string[];
  /** Default true. */
  detectSecrets?: boolean;
}

/** Values of headers and paths that are remembered, each of so many characters at most; and tokens. */
const MOST_REMEMBERED = 1000;
const LONGEST_REMEMBERED = 200;
const MOST_GIVEN = 10_000;

export function redactionOf(settings: RedactionSettings = {}): Redaction {
  const { redact = [], noRedact = [], redactPointers = [], redactPatterns = [] } = settings;
  const { detectSecrets = true } = settings;
  const members = new SecretNames(false, redact, noRedact);
  const patterns = redactPatterns.map((source) => new RegExp(source, 'gu'));
  const places = placesPattern(redactPointers);
  const plainValues = new Set<string>();
  const mayBeIn = (text: string) =>
    members.mayBeIn(text) ||
    (detectSecrets && mayHoldSecret(text)) ||
    (places?.test(text) ?? false) ||
    // What an escape stands for may match.
    (patterns.length > 0 && (text.includes('\\') || patterns.some((pattern) => text.search(pattern) >= 0)));
  return {
    headers: new SecretNames(true, redact, noRedact),
    members,
    pointers: patternTree(redactPointers),
    patterns,
    detects: detectSecrets,
    texts: [],
    given: new Set(),
    mayBeIn,
    mayBeInRecurring(value) {
      if (plainValues.has(value)) return false;
      if (mayBeIn(value)) return true;
      if (value.length <= LONGEST_REMEMBERED) addWithin(plainValues, value, MOST_REMEMBERED);
      return false;
    },
  };
}

export const DEFAULT_REDACTION: Redaction = redactionOf();

const NO_NAMES: Names = { has: () => false, mayBeIn: () => false, isTakenBack: () => true };

/** Hides nothing. */
export const NO_REDACTION: Redaction = {
  headers: NO_NAMES,
  members: NO_NAMES,
  pointers: undefined,
  patterns: [],
  detects: false,
  texts: [],
  given: new Set(),
  mayBeIn: () => false,
  mayBeInRecurring: () => false,
};

/** Remembers what a message has named as a secret, where it could stand in a path. */
export function rememberGiven({ given }: Redaction, { value, isDetected }: FoundSecret): void {
  if (!isDetected && typeof value === 'string' && isLikeToken(value)) addWithin(given, value, MOST_GIVEN);
}

function addWithin(values: Set<string>, value: string, most: number): void {
  if (values.size >= most) values.clear();
  values.add(value);
}

/** The same, and these texts wherever they stand. */
export function hidingTexts(redaction: Redaction, texts: readonly string[]): Redaction {
  if (texts.length === 0) return redaction;
  const holdsText = (text: string) => texts.some((secret) => text.includes(secret));
  return {
    ...redaction,
    texts,
    mayBeIn: (text) => holdsText(text) || redaction.mayBeIn(text),
    mayBeInRecurring: (value) => holdsText(value) || redaction.mayBeInRecurring(value),
  };
}

/** Finds the last name of each pointer in quotes, without which the body has no such place; undefined: no pointers. */
function placesPattern(pointers: readonly string[]): RegExp | undefined {
  if (pointers.length === 0) return undefined;
  const names = pointers.map((pointer) => tokensOf(pointer).findLast((token) => !/^(?:\*|\d+)$/.test(token)));
  // One with other letters than these can be written in many ways.
  if (!names.every((name) => name !== undefined && /^[\w-]+$/.test(name))) return /(?:)/;
  return new RegExp(`"(?:${names.join('|')})\\\\*"|\\\\u`);
}
