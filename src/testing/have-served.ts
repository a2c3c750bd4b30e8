import { splitTarget } from '../http/http.ts';
import { isObject, isRecord } from '../json/json.ts';
import { queryPairs, valuesOf } from '../recordings/match.ts';
import { redactText } from '../recordings/redact/redact.ts';
import { REDACTED } from '../recordings/redact/redacted.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { amount, shortened, visible } from '../reporters/wording.ts';
import type { ShownBody, ShownExchange } from '../server/show-exchange.ts';
import type { ExpectedExchange } from './assertions.ts';
import { checkMembers, comparing, type Outcome, picked, type Runner, told } from './runner.ts';
import { type Asked, SERVED } from './test-gate.ts';
import { misuse } from './with-hint.ts';

const PARTS = ['method', 'path', 'query', 'headers', 'body', 'status', 'session'];
/** Stands for a body that is not there as a whole. */
const CUT = '(longer than the 64 KiB that a gate keeps)';
const MOST_LISTED = 20;
const MOST_CHARACTERS = 300;

type Facts = Readonly<Record<string, unknown>>;

export async function haveServed(
  runner: Runner,
  redaction: Redaction,
  gate: unknown,
  { times, ...given }: ExpectedExchange,
): Promise<Outcome> {
  checkMembers('the exchange', given, PARTS);
  if (times !== undefined && !(Number.isSafeInteger(times) && times >= 0))
    throw misuse(`times cannot be ${String(times)}`, 'it is a whole number from 0');
  const { [SERVED]: served } = Object(gate) as Partial<Asked>;
  if (!served) throw misuse('what is received is no gate and no session', 'await startReplay()');
  const { exchanges, areCut } = await served();
  const expected = wantedOf(given);
  const same = comparing(runner);
  const compared = exchanges.map(({ shown, sent }) => {
    const actual = factsOf(sent, expected);
    const wrong = Object.keys(expected).filter((part) => !isSame(actual[part], expected[part]));
    return { shown, wrong: wrong.length, actual, seen: factsOf(shown, expected) };
  });
  const found = compared.filter(({ shown, wrong }) => wrong === 0 && isServed(shown)).length;
  const isUnsure = areCut || compared.some(({ actual }) => 'body' in expected && actual.body === CUT);
  const pass = times === undefined ? found > 0 : found === times;
  const [nearest] = compared.toSorted((a, b) => a.wrong - b.wrong);
  const message = () =>
    told(runner, 'toHaveServed', [
      `Expected ${runner.isNot ? 'not ' : ''}${times === undefined ? 'at least once' : amount(times, 'time')}, served ${amount(found, 'time')}.`,
      isUnsure ? 'Cannot tell: a gate forgets early exchanges, and the rest of long bodies.' : '',
      found === 0 && nearest ? difference(nearest.actual, nearest.seen) : '',
      listOf(exchanges.map(({ shown }) => shown)),
    ]);
  // More may have been served than is kept.
  const isTold = found > (times ?? 0) || !isUnsure;
  return { pass: isTold ? pass : (runner.isNot ?? false), message };

  function isSame(actual: unknown, wanted: unknown): boolean {
    if (!isPlain(wanted) || !isPlain(actual)) return same(actual, wanted);
    const names = new Set([...Object.keys(actual), ...Object.keys(wanted)]);
    return [...names].every((name) => isSame((actual as Facts)[name], (wanted as Facts)[name]));
  }

  function difference(actual: Facts, seen: Facts): string {
    const hidden = withoutSecrets(expected, actual, seen) as Facts;
    return redactText(runner.utils.diff(hidden, seen) ?? '', redaction);
  }
}

/** Its parts in the form that facts have. */
function wantedOf(given: Omit<ExpectedExchange, 'times'>): Facts {
  const parts: Record<string, unknown> = { ...given };
  if (typeof parts.method === 'string') parts.method = parts.method.toUpperCase();
  if (isPlain(parts.headers))
    parts.headers = Object.fromEntries(
      Object.entries(parts.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
  return parts;
}

/** The parts of an exchange that are expected; of its headers, those that are. */
function factsOf({ request, response, session = '' }: ShownExchange, expected: Facts): Facts {
  const { path, query } = splitTarget(request.url);
  const values = [...valuesOf(queryPairs(query))].map(([name, list]) => [
    name,
    list.length === 1 ? list[0] : list,
  ]);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  const all = {
    ...{ method: request.method, path, query: Object.fromEntries(values), status: response?.status, session },
    headers: isPlain(expected.headers)
      ? picked(Object.fromEntries(headers), Object.keys(expected.headers))
      : undefined,
    body: bodyOf(request.body),
  };
  return picked(all, Object.keys(expected));
}

function bodyOf(body: ShownBody | undefined): unknown {
  if (body === undefined) return '';
  if (body.cut) return CUT;
  if ('json' in body) return body.json;
  return 'text' in body ? body.text : Buffer.from(body.base64, 'base64');
}

/** What is expected at a place of which a gate shows nothing is not shown either. */
function withoutSecrets(expected: unknown, actual: unknown, seen: unknown): unknown {
  if (isPlain(expected) && isObject(seen) && isObject(actual))
    return Object.fromEntries(
      Object.entries(expected).map(([name, one]) => [name, withoutSecrets(one, actual[name], seen[name])]),
    );
  if (Array.isArray(expected) && Array.isArray(seen) && Array.isArray(actual))
    return expected.map((one, index) => withoutSecrets(one, actual[index], seen[index]));
  const isHidden = (JSON.stringify(seen) ?? '').includes(REDACTED);
  return isHidden ? `${REDACTED} (expected)` : expected;
}

function isPlain(value: unknown): value is object {
  return isRecord(value) && !('asymmetricMatch' in value);
}

/** Whether target, fake, recording or a fault answered it; not the gate for itself. */
function isServed({ response, answeredBy, fault, failure }: ShownExchange): boolean {
  const isAnswered =
    ['target', 'fake', 'recording'].includes(answeredBy) || (fault !== undefined && failure === undefined);
  return response !== undefined && isAnswered;
}

/** `#2 PATCH /api/v2/accounts/current/projects/42 -> 200 (recording)`, and why it was refused. */
function listOf(exchanges: readonly ShownExchange[]): string {
  if (exchanges.length === 0)
    return "Nothing went by: the client's base URL must begin with the url of the gate.";
  const lines = exchanges
    .slice(-MOST_LISTED)
    .map(({ id, request, response, answeredBy, verdict, failure }) => {
      const answer = response ? `${response.status} (${answeredBy})` : 'no response';
      const error = verdict?.findings.find(({ severity }) => severity === 'error');
      const why = failure ?? (error && `${error.rule}: ${error.message}`);
      const line = `  #${id} ${request.method} ${request.url} -> ${answer}${why ? `: ${why}` : ''}`;
      return visible(shortened(line, MOST_CHARACTERS));
    });
  return [`Seen: ${amount(exchanges.length, 'exchange')}`, ...lines].join('\n');
}
