import { childOf, type JsonObject, type JsonValue } from '../json/json.ts';
import { escapeToken, pointerOf } from '../json/pointer.ts';
import type { KeptBody, RecordedRequest, StoredBody, StoredHeaders } from '../model/exchange.ts';
import { compareJson, sameText, type Tokens } from './compare-json.ts';
import { ignoringOption } from './ignoring-option.ts';
import { type Form, formOf, type Pairs, type SentRequest, sameBody, valuesOf } from './match.ts';
import type { MatchRules } from './match-rules.ts';
import type { Place } from './names.ts';
import { contentTypeOf, redactBody, redactPath, redactQuery, redactText } from './redact/redact.ts';
import { REDACTED } from './redact/redacted.ts';
import type { Redaction } from './redact/redaction.ts';
import type { RecordingStore } from './store.ts';
import type { StoredExchange } from './stored-exchange.ts';

/**
 * The nearest that is recorded.
 *
 * - `differs`: exchanges of its method and path
 * - `other-method`: other methods of its path
 * - `not-recorded`: another path; `empty`: nothing at all
 */
type MissReason = 'differs' | 'other-method' | 'not-recorded' | 'empty';

/** Why no exchange answers a request. Redacted. */
export interface Miss {
  recording: string;
  reason: MissReason;
  /** All of it in one line, for the log and the answer. */
  text: string;
  /** What to do about it, in one sentence. */
  hint: string;
  /** The nearest exchange; without `differences` it is one of another method or path. */
  nearest?: {
    method: string;
    path: string;
    query?: string;
    recordedAt?: string;
    differences?: Difference[];
    /** Number of further differences; counting ends at 100. */
    omitted?: number;
  };
}

/** One place at which a request differs from the recorded one. Values are redacted and cut, as JSON if they are JSON. */
export interface Difference {
  /** `query/limit`, `headers/accept-language`, `body`, or the JSON Pointer of a place in the body; `method` or `path`
   *  if the config's own function makes them differ. */
  place: string;
  /** Absent: the recorded request has nothing there. */
  recorded?: string;
  /** Absent: the request that was sent has nothing there. */
  sent?: string;
}

/** Exchanges that are compared, the newest of those recorded. */
const MOST_COMPARED = 500;
/** Values that are compared in all of them. */
const MOST_VALUES = 100_000;
/** Characters of a text that cost as much as a value. */
const CHARACTERS_PER_VALUE = 32;
const MOST_COUNTED = 100;
const MOST_SHOWN = 20;
/** Differences that the hint may name. */
const MOST_HINTED = 3;
/** Paths that are compared. */
const MOST_PATHS = 1000;

/** The command that records a request. */
export function recordIt(recording: string): string {
  return `patchgate proxy <target> --record --recording ${recording}`;
}

/** A miss's hint for another way of recording. @param how in the place of `recordIt` */
export function hintWith(hint: string, recording: string, how: string): string {
  return hint.replaceAll(recordIt(recording), how);
}

/**
 * Explains a miss by the nearest that is recorded.
 *
 * @param recorded exchanges of the request's method and path, none of which matches
 * @throws PatchgateError if the recording cannot be read
 */
export function explainMiss(
  store: RecordingStore,
  recorded: readonly StoredExchange[],
  sent: SentRequest,
): Miss {
  return recorded.length > 0 ? explainDifference(store.name, recorded, sent) : explainPath(store, sent);
}

function explainDifference(recording: string, recorded: readonly StoredExchange[], sent: SentRequest): Miss {
  const { stored, found } = nearestOf(recorded, sent);
  const { request, meta } = stored.exchange;
  const { redaction } = sent.rules;
  const differences = found.slice(0, MOST_SHOWN).map(({ show }) => show());
  const omitted = found.length - differences.length;
  const said = differences.map(inWords);
  if (omitted > 0) said.push(`and ${omitted} more`);
  const path = redactPath(request.path, redaction);
  return {
    recording,
    reason: 'differs',
    text: `no exchange in the recording "${recording}" matches this ${request.method} ${path}; in the nearest ${said.join('; ')}`,
    hint: hintFor(recording, found.length, differences),
    nearest: {
      method: request.method,
      path,
      query: redactQuery(request.query, redaction),
      recordedAt: meta.recordedAt,
      differences,
      omitted,
    },
  };
}

/** A difference whose values are made when they are shown. */
interface Found {
  part: 'head' | 'query' | 'headers' | 'body';
  show(): Difference;
}

/** The exchange that differs in the fewest parts, and in these at the fewest places; the oldest of equals. */
function nearestOf(recorded: readonly StoredExchange[], sent: SentRequest) {
  let nearest: { stored: StoredExchange; found: Found[]; parts: number } | undefined;
  const work = { left: MOST_VALUES };
  for (const stored of recorded.slice(-MOST_COMPARED)) {
    const found = differencesOf(stored.request, sent, work);
    const parts = new Set(found.map(({ part }) => part)).size;
    const further = nearest ? parts - nearest.parts || found.length - nearest.found.length : -1;
    if (further < 0) nearest = { stored, found, parts };
    if (work.left <= 0 || nearest?.found.length === 1) break;
  }
  return nearest as NonNullable<typeof nearest>;
}

function differencesOf(request: RecordedRequest, sent: SentRequest, work: { left: number }): Found[] {
  const { rules, form: now } = sent;
  const { redaction } = rules;
  const before = formOf(request, rules);
  const found: Found[] = [];
  const add = (part: Found['part'], place: string, recorded?: () => string, is?: () => string) => {
    if (found.length >= MOST_COUNTED) return;
    const show = () => ({
      place: cut(redactText(place, redaction)),
      ...(recorded && { recorded: recorded() }),
      ...(is && { sent: is() }),
    });
    found.push({ part, show });
  };

  for (const part of ['method', 'path'] as const) {
    const shown = (text: string) => () => cut(redactPath(text, redaction));
    if (before[part] !== now[part]) add('head', part, shown(before[part]), shown(now[part]));
  }
  for (const part of ['query', 'headers'] as const) {
    for (const [name, a, b] of differentPairs(before[part], now[part])) {
      const place = `${part}/${escapeToken(name)}`;
      const shown = (values: string[] | undefined) =>
        values && (() => shownPair(part, name, values, redaction));
      add(part, place, shown(a), shown(b));
    }
  }
  addBody(before, request, sent, work, (place, a, b) => add('body', place, a, b));
  return found;
}

function differentPairs(before: Pairs, now: Pairs): [name: string, before?: string[], now?: string[]][] {
  const [a, b] = [valuesOf(before), valuesOf(now)];
  const isSame = (one: string[], other: string[]) =>
    one.length === other.length && one.every((value, i) => sameText(value, other[i] as string));
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((name) => {
    const [was, is] = [a.get(name), b.get(name)];
    return was && is && isSame(was, is) ? [] : [[name, was, is] as [string, string[]?, string[]?]];
  });
}

function shownPair(part: 'query' | 'headers', name: string, values: string[], redaction: Redaction): string {
  if (part === 'headers') return cut(values.map((value) => JSON.stringify(value)).join(', '));
  if (redaction.members.has(name)) return REDACTED;
  return cut(values.map((value) => JSON.stringify(redactText(value, redaction))).join(', '));
}

type AddPlace = (place: string, recorded?: () => string, sent?: () => string) => void;

function addBody(
  before: Form,
  request: RecordedRequest,
  sent: SentRequest,
  work: { left: number },
  add: AddPlace,
): void {
  const { rules, form: now } = sent;
  const { redaction } = rules;
  if (before.json === undefined || now.json === undefined) {
    if (before.body && 'text' in before.body) work.left -= before.body.text.length / CHARACTERS_PER_VALUE;
    if (sameBody(before, sent)) return;
    const shown = (body: StoredBody | undefined, headers: StoredHeaders) =>
      body && (() => shownBody(body, headers, redaction));
    add('body', shown(before.body, request.headers), shown(now.body, sent.request.headers));
    return;
  }
  const [wasClean, isClean] = [cleanJson(request, rules), cleanJson(sent.request, rules)];
  const shown = (clean: () => JsonValue | undefined, place: Tokens) => () => {
    const value = valueAt(clean(), place);
    return value === REDACTED ? value : shownJson(value, redaction);
  };
  let last: string | undefined;
  let count = 0;
  compareJson(
    before.json,
    now.json,
    (tokens, a, b) => {
      // Values below a secret member are not shown one by one.
      const secret = tokens.findIndex((token) => typeof token === 'string' && redaction.members.has(token));
      const isWithin = secret >= 0 && secret < tokens.length - 1;
      const place = tokens.slice(0, isWithin ? secret + 1 : undefined);
      const pointer = pointerOf(place);
      if (isWithin && pointer === last) return true;
      last = pointer;
      const ofRecorded = isWithin || a !== undefined ? shown(wasClean, place) : undefined;
      add(pointer || 'body', ofRecorded, isWithin || b !== undefined ? shown(isClean, place) : undefined);
      return ++count < MOST_COUNTED;
    },
    work,
  );
}

/** The JSON of a request's redacted body, made when it is first asked for: redaction may have been set up since it was recorded. */
function cleanJson(request: RecordedRequest, rules: MatchRules): () => JsonValue | undefined {
  let form: Form | undefined;
  return () => {
    const { headers, body } = request;
    const clean = body && redactBody(body, contentTypeOf(headers), rules.redaction);
    form ??= formOf({ ...request, ...(clean && { body: clean }) }, rules);
    return form.json;
  };
}

function inWords({ place, recorded, sent }: Difference): string {
  if (sent === undefined) return `${place} is missing: recorded ${recorded}`;
  if (recorded !== undefined) return `${place}: recorded ${recorded}, sent ${sent}`;
  const why = place.startsWith('headers/') ? ', and none was kept when it was recorded' : '';
  return `${place} is unexpected: sent ${sent}${why}`;
}

/** Names the options with which it would match, if a few places differ. */
function hintFor(recording: string, count: number, differences: readonly Difference[]): string {
  const unkept = differences.filter(({ place, recorded }) => place.startsWith('headers/') && !recorded);
  const names = unkept.map(({ place }) => place.slice('headers/'.length)).join(',');
  const how = names === '' ? '' : ` with --match-headers ${names}`;
  const asRecorded = `send the request as it was recorded, or record it${how}: ${recordIt(recording)}`;
  const options = differences.map(({ place }) => ignoringOption(place));
  if (count > MOST_HINTED || options.includes(undefined)) return asRecorded;
  return `${asRecorded}; if it may differ there: ${[...new Set(options)].join(' ')}`;
}

function explainPath(store: RecordingStore, { request, rules }: SentRequest): Miss {
  const { method, path } = request;
  const { redaction } = rules;
  const miss = (reason: MissReason, why: string, hint: string, nearest?: Place): Miss => ({
    recording: store.name,
    reason,
    text: redactText(
      `nothing is recorded for ${method} ${path} in the recording "${store.name}"${why}`,
      redaction,
    ),
    hint: redactText(hint, redaction),
    ...(nearest && { nearest: { method: nearest.method, path: redactPath(nearest.path, redaction) } }),
  });
  const record = recordIt(store.name);
  const [first, ...others] = METHODS.filter((one) => store.exchanges(one, path).length > 0);
  if (first !== undefined) {
    const why = `, but its path is for ${[first, ...others].join(', ')}`;
    const hint = `send a method that is recorded, or record this one: ${record}`;
    return miss('other-method', why, hint, { method: first, path });
  }
  const nearest = nearestPlace(store, { method, path });
  if (!nearest) {
    const hint = `record something first: ${record}; or give another name with --recording`;
    return miss('empty', ', which is empty', hint);
  }
  const why = `; the nearest is ${nearest.method} ${nearest.path}${whichSegment(nearest.path, path)}`;
  return miss('not-recorded', why, `record it: ${record}`, nearest);
}

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** The place that shares the most segments with the one sent, and its method; among ids, the nearest number. */
function nearestPlace(store: RecordingStore, sent: Place): Place | undefined {
  let nearest: Place | undefined;
  let least: readonly number[] = [];
  let looked = 0;
  for (const place of store.places()) {
    const distance = distanceOf(place, sent);
    const at = distance.findIndex((part, i) => part !== least[i]);
    if (!nearest || (at >= 0 && (distance[at] as number) < (least[at] as number)))
      [nearest, least] = [place, distance];
    if (++looked >= MOST_PATHS) break;
  }
  return nearest;
}

function distanceOf(place: Place, sent: Place): number[] {
  const { was, is, start } = between(place.path, sent.path);
  const isOther = place.method === sent.method ? 0 : 1;
  const [a, b] = [Number(was[0]), Number(is[0])];
  // Names are as far from one another, and ids of another kind further.
  const ofIds = Number.isNaN(a) && Number.isNaN(b) ? 0 : Math.abs(a - b);
  return [2 * is.length + isOther, was.length, -start, Number.isNaN(ofIds) ? Number.MAX_VALUE : ofIds];
}

/** The segments between those that two paths begin and end with. */
function between(recorded: string, sent: string): { was: string[]; is: string[]; start: number } {
  const [a, b] = [recorded.split('/'), sent.split('/')];
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return { was: a.slice(start, a.length - end), is: b.slice(start, b.length - end), start };
}

/** If one segment differs, both with the one before: `projects/42`. */
function whichSegment(recorded: string, sent: string): string {
  const { was, is, start } = between(recorded, sent);
  if (was.length !== 1 || is.length !== 1) return '';
  const before = sent.split('/')[start - 1];
  const shown = (segment: string | undefined) => (before ? `${before}/${segment}` : segment);
  return `: recorded for ${shown(was[0])}, sent for ${shown(is[0])}`;
}

const LONGEST = 80;
/** Characters of a text that are redacted to show its beginning. */
const LOOKED_AT = 4096;

export function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** The beginning of a value as JSON, redacted. */
export function shownJson(value: JsonValue, redaction: Redaction): string {
  let text = '';
  const write = (part: JsonValue): void => {
    if (text.length > LONGEST) return;
    if (typeof part === 'string') text += shownText(part, redaction);
    else if (typeof part !== 'object' || part === null) text += JSON.stringify(part);
    else {
      const isList = Array.isArray(part);
      text += isList ? '[' : '{';
      let comma = '';
      for (const name in part) {
        if (text.length > LONGEST) break;
        text += comma + (isList ? '' : `${shownText(name, redaction)}:`);
        comma = ',';
        const isSecret = !isList && redaction.members.has(name);
        write(isSecret ? REDACTED : ((part as JsonObject)[name] as JsonValue));
      }
      text += isList ? ']' : '}';
    }
  };
  write(value);
  return cut(text);
}

/** Redacts before cutting: a part of a secret no longer looks like one. */
function shownText(text: string, redaction: Redaction): string {
  return JSON.stringify(redactText(text.slice(0, LOOKED_AT), redaction).slice(0, LONGEST + 1));
}

/** The beginning of a body, redacted. */
function shownBody(body: StoredBody, headers: StoredHeaders, redaction: Redaction): string {
  if ('omitted' in body) return `${body.omitted} bytes that were not kept`;
  if ('json' in body) return shownJson(body.json, redaction);
  const start: KeptBody =
    'text' in body ? { text: body.text.slice(0, LOOKED_AT) } : { base64: body.base64.slice(0, LOOKED_AT) };
  const clean = redactBody(start, contentTypeOf(headers), redaction);
  return cut('text' in clean ? clean.text : (clean as { base64: string }).base64);
}

/** A value of a redacted body: redaction has removed what is not there. */
function valueAt(json: JsonValue | undefined, tokens: Tokens): JsonValue {
  const value = tokens.reduce<unknown>(childOf, json);
  return value === undefined ? REDACTED : (value as JsonValue);
}
