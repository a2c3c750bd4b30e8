import { isObject, type JsonValue } from '../../json/json.ts';
import { escapeToken, pointerOf } from '../../json/pointer.ts';
import type { RecordedRequest } from '../../model/exchange.ts';
import { redactPath, redactQuery, redactText } from '../redaction/redact.ts';
import { REDACTED } from '../redaction/redacted.ts';
import type { StoredExchange } from '../store/stored-exchange.ts';
import type { RecordingStore } from '../store.ts';
import { compareJson, sameText } from './compare-json.ts';
import { explainPath, type Miss, recordIt } from './explain-path.ts';
import { ignoringOption } from './ignoring-option.ts';
import { sameStored, sameValues } from './matches.ts';
import { cleanForm, formOf, queryValues, type RequestForm, type SentRequest } from './request-form.ts';
import { cut, type Difference, shownBody, shownJson, valueAt } from './shown-value.ts';

/** Exchanges that are compared; and of how many it is found out roughly whether they are worth it. */
const MOST_COMPARED = 50;
const MOST_LOOKED_AT = 1000;
/** Values of all bodies compared; the exchange with which they run out is the last one. */
const MOST_VALUES = 100_000;
/** Characters of a text that cost as much as a value. */
const CHARACTERS_PER_VALUE = 32;
const MOST_COUNTED = 100;
const MOST_SHOWN = 20;
/** Differences that the hint may name. */
const MOST_HINTED = 3;

/**
 * Explains a miss by what comes nearest to it in the recording, with a bounded amount of work.
 *
 * @param recorded what the session is given of the request's method and path, none of which matches
 * @throws PatchgateError where the recording cannot be read
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
  const differences = found.slice(0, MOST_SHOWN).map((difference) => difference.show());
  const omitted = found.length - differences.length;
  const said = differences.map(inWords);
  if (omitted > 0) said.push(`and ${omitted} more`);
  const path = redactPath(request.path, redaction);
  return {
    recording,
    reason: 'differs',
    text: `no exchange in the recording "${recording}" matches this ${request.method} ${path}; in the nearest ${said.join('; ')}`,
    hint: hintFor(recording, found, differences),
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

/** The exchange of which the fewest parts (query, headers, body) differ, and these in the fewest places. */
function nearestOf(recorded: readonly StoredExchange[], sent: SentRequest) {
  let nearest: { stored: StoredExchange; found: readonly Found[]; parts: number } | undefined;
  const work = { left: MOST_VALUES };
  for (const stored of mostAlike(recorded, sent)) {
    // Where one part alone differs, as many places as before are too many already.
    const most = nearest?.parts === 1 ? nearest.found.length : MOST_COUNTED;
    const found = differencesOf(stored.request, sent, most, work);
    const parts = new Set(found.map(({ part }) => part)).size;
    const further = nearest ? parts - nearest.parts || found.length - nearest.found.length : -1;
    if (further < 0) nearest = { stored, found, parts };
    if (work.left <= 0 || nearest?.found.length === 1) break;
  }
  return nearest as NonNullable<typeof nearest>;
}

/** Those worth a comparison, oldest first. */
function mostAlike(recorded: readonly StoredExchange[], { request }: SentRequest): readonly StoredExchange[] {
  if (recorded.length <= MOST_COMPARED) return recorded;
  const scored = recorded
    .slice(0, MOST_LOOKED_AT)
    .map((stored, place) => ({ stored, place, score: likeness(stored.request, request) }));
  scored.sort((a, b) => b.score - a.score || a.place - b.place);
  const chosen = scored.slice(0, MOST_COMPARED).sort((a, b) => a.place - b.place);
  return chosen.map(({ stored }) => stored);
}

/** A cheap measure: whether the query is the same, and how many members of the body look the same from outside. */
function likeness(recorded: RecordedRequest, sent: RecordedRequest): number {
  const score = recorded.query === sent.query ? 1 : 0;
  const [before, now] = [recorded.body, sent.body].map((body) => body && 'json' in body && body.json);
  if (!isObject(before) || !isObject(now)) return score;
  const looksSame = (name: string) => {
    const [one, other] = [before[name], now[name]];
    return one === other || (Array.isArray(one) && Array.isArray(other) && one.length === other.length);
  };
  return score + Object.keys(now).filter(looksSame).length;
}

/** A difference whose values are made when they are shown. */
interface Found {
  part: 'head' | 'query' | 'headers' | 'body';
  show(): Difference;
}

/** What differs between two requests of one method and path, at most `limit` places; none: they match. */
function differencesOf(
  request: RecordedRequest,
  sent: SentRequest,
  limit: number,
  work: { left: number },
): Found[] {
  const { rules } = sent;
  const { redaction } = rules;
  const before = formOf(request, rules);
  const now = sent.form;
  const found: Found[] = [];
  let clean: RequestForm | undefined;
  /** What may be shown of the recorded request: redaction may have been set up since. */
  const cleanRecorded = () => {
    clean ??= cleanForm(request, rules);
    return clean;
  };
  /** @param show gives what one of the two has at the place */
  const add = (
    part: Found['part'],
    place: string,
    isRecorded: boolean,
    isSent: boolean,
    show: (form: RequestForm, isSent: boolean) => string,
  ) => {
    if (found.length >= limit) return;
    found.push({
      part,
      show: () => ({
        place: cut(redactText(place, redaction)),
        ...(isRecorded && { recorded: show(cleanRecorded(), false) }),
        ...(isSent && { sent: show(sent.clean, true) }),
      }),
    });
  };

  for (const part of ['method', 'path'] as const) {
    if (before[part] !== now[part])
      add('head', part, true, true, (_, isSent) => cut(redactPath((isSent ? now : before)[part], redaction)));
  }
  if (before.query !== now.query) {
    const recordedValues = queryValues(before.query);
    for (const name of new Set([...recordedValues.keys(), ...sent.queryValues.keys()])) {
      const [a, b] = [recordedValues.get(name), sent.queryValues.get(name)];
      if (a && b && sameValues(a, b)) continue;
      add('query', `query/${escapeToken(name)}`, a !== undefined, b !== undefined, ({ query }) => {
        if (redaction.members.has(name)) return REDACTED;
        const values = queryValues(query).get(name) ?? [];
        return cut(values.map((value) => JSON.stringify(value)).join(', '));
      });
    }
  }
  for (const name of rules.headers) {
    const valueIn = ({ headers }: RequestForm) => headers.find(([one]) => one === name)?.[1];
    const [a, b] = [valueIn(before), valueIn(now)];
    if (a === b || (a !== undefined && b !== undefined && sameText(a, b))) continue;
    add('headers', `headers/${name}`, a !== undefined, b !== undefined, (_, isSent) =>
      cut(JSON.stringify(isSent ? b : a)),
    );
  }
  const [a, b] = [before.body, now.body];
  if (a === b || found.length >= limit) return found;
  if (a && 'text' in a) work.left -= a.text.length / CHARACTERS_PER_VALUE;
  const showJson = (tokens: readonly (string | number)[]) => (form: RequestForm) => {
    const value = valueAt(form.json, tokens);
    return value === REDACTED ? value : shownJson(value, redaction);
  };
  if (before.json !== undefined && now.json !== undefined) {
    let last = '';
    const note = (tokens: readonly (string | number)[], one?: JsonValue, other?: JsonValue) => {
      // Below a secret member nothing is shown, so that only whether it differs counts.
      const secret = tokens.findIndex((token) => typeof token === 'string' && redaction.members.has(token));
      const isWithin = secret >= 0 && secret < tokens.length - 1;
      const place = tokens.slice(0, isWithin ? secret + 1 : undefined);
      const pointer = pointerOf(place);
      if (isWithin && pointer === last) return true;
      last = pointer;
      const has = (value: JsonValue | undefined) => isWithin || value !== undefined;
      add('body', pointer || 'body', has(one), has(other), showJson(place));
      return found.length < limit;
    };
    compareJson(before.json, now.json, note, work);
  } else if (!(a && b && sameStored(before, sent))) {
    add('body', 'body', a !== undefined, b !== undefined, (form, isSent) => {
      const headers = isSent ? sent.request.headers : request.headers;
      return shownBody(form.body ?? (isSent ? b : a) ?? { text: '' }, headers, redaction);
    });
  }
  return found;
}

function inWords({ place, recorded, sent }: Difference): string {
  if (sent === undefined) return `${place} is missing: recorded ${recorded}`;
  if (recorded !== undefined) return `${place}: recorded ${recorded}, sent ${sent}`;
  // Recordings keep what matching named at the time.
  const why = place.startsWith('headers/') ? ', and none was kept when it was recorded' : '';
  return `${place} is unexpected: sent ${sent}${why}`;
}

/** Names the options that would make it match, where that is but a few places. */
function hintFor(recording: string, found: readonly Found[], differences: readonly Difference[]): string {
  const unkept = differences.filter(({ place, recorded }) => place.startsWith('headers/') && !recorded);
  const names = unkept.map(({ place }) => place.slice('headers/'.length)).join(',');
  const how = names === '' ? '' : ` with --match-headers ${names}`;
  const asRecorded = `send the request as it was recorded, or record it${how}: ${recordIt(recording)}`;
  const options = found.map((_, i) => ignoringOption(differences[i]?.place ?? ''));
  if (options.length > MOST_HINTED || options.includes(undefined)) return asRecorded;
  return `${asRecorded}; if it may differ there: ${[...new Set(options)].join(' ')}`;
}
