import { isObject } from '../../../json/json.ts';

export type InputKind = 'body' | 'recording' | 'har' | 'requests';

/** Bytes by which most kinds can be told. */
export const START_LENGTH = 256;

/** Each is told by its first member; no body of the service begins like that. */
const STARTS: readonly [InputKind, RegExp][] = [
  ['recording', /^\s*\{\s*"(?:formatVersion|exchanges)"\s*:/],
  ['har', /^\s*\{\s*"log"\s*:/],
  [
    'requests',
    /^\s*\{\s*"(?:method"\s*:\s*"[A-Za-z]+"|(?:url|path)"\s*:\s*"(?:\/|https?:)|request"\s*:\s*\{)/,
  ],
];
const NAMES: readonly [InputKind, RegExp][] = [
  ['har', /\.har$/i],
  ['requests', /\.(?:jsonl|ndjson)$/i],
];

/** In the place of a recording's file, something else is a body only where it begins like one. */
export const RECORDING_NAME = /(?:^|[/\\])[A-Z-]+\.json$/;
const BODY_START = /^\s*\{\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:)/;

/**
 * What a file is by how it begins, or else by its name; undefined where that does not say it: a body, or lines of requests.
 *
 * @param start its first characters (Latin-1), `START_LENGTH` of them where it has so many
 */
export function kindByStart(start: string, name: string): InputKind | undefined {
  const text = start.replace(/^ï»¿/, '');
  const found = [...STARTS, ...NAMES].find(([, sign], index) =>
    sign.test(index < STARTS.length ? text : name),
  );
  if (found) return found[0];
  return RECORDING_NAME.test(name) && !BODY_START.test(text) ? 'recording' : undefined;
}

/**
 * Whether a text is lines of JSON: the first is a whole object, and either there is a second, or it is a request.
 *
 * @param isWhole whether nothing follows the text
 */
export function isJsonLines(text: string, isWhole: boolean): boolean {
  const all = text.replace(/^\ufeff/, '').trimStart();
  const end = all.indexOf('\n');
  if (!all.startsWith('{') || (end < 0 && !isWhole)) return false;
  const first = (end < 0 ? all : all.slice(0, end)).trimEnd();
  if (!first.endsWith('}')) return false;
  const rest = end < 0 ? '' : all.slice(end).trimStart();
  return rest === '' ? isWhole && holdsRequest(first) : rest.startsWith('{');
}

function holdsRequest(line: string): boolean {
  // To parse a body twice is not worth it.
  if (!/"(?:method|request)"\s*:/.test(line)) return false;
  try {
    return isRequestLine(JSON.parse(line));
  } catch {
    // The gate says what is wrong with a body.
    return false;
  }
}

/** Whether a value describes a request or an exchange, whole or not; no body of the service has such members. */
export function isRequestLine(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isObject(value.request) || ['method', 'url', 'path'].some((name) => typeof value[name] === 'string');
}
