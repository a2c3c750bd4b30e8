import { types } from 'node:util';
import { splitTarget } from '../http/http.ts';
import { shortened } from '../model/short-text.ts';
import { queryPairs } from '../recordings/match.ts';
import { valuesByName } from '../recordings/plain-exchange.ts';
import { amount, visible } from '../reporters/wording.ts';
import type { ShownBody, ShownExchange } from '../server/show-exchange.ts';
import type { ExpectedExchange } from './assertions.ts';
import type { Asked } from './gate.ts';
import { checkMembers, misuse } from './misuse.ts';

/** `this` of a matcher: vitest, Jest and Playwright have these. */
export interface Runner {
  readonly isNot?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each runner has another type for testers.
  readonly customTesters?: any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  equals(actual: unknown, expected: unknown, testers?: any[]): boolean;
  readonly utils: {
    matcherHint(name: string, received?: string, expected?: string, options?: { isNot?: boolean }): string;
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    diff(expected: any, actual: any): string | null | undefined;
  };
}

export interface Outcome {
  pass: boolean;
  message: () => string;
}

export function told({ utils, isNot = false }: Runner, name: string, paragraphs: readonly string[]): string {
  const hint = utils.matcherHint(name, 'received', 'expected', { isNot });
  return [hint, ...paragraphs].filter(Boolean).join('\n\n');
}

/** Compares as the runner does; a regular expression expects a text. */
export function comparing(runner: Runner): (actual: unknown, expected: unknown) => boolean {
  return (actual, expected) =>
    types.isRegExp(expected) && typeof actual === 'string'
      ? actual.search(expected) >= 0
      : runner.equals(actual, expected, runner.customTesters ?? []);
}

const PARTS = ['method', 'path', 'query', 'headers', 'body', 'status', 'session', 'times'];

export async function haveServed(runner: Runner, gate: unknown, wanted: ExpectedExchange): Promise<Outcome> {
  checkMembers('the exchange', wanted, PARTS);
  const { times, ...parts } = wanted;
  const { path, status } = parts as Facts;
  if (typeof path === 'string' && path.includes('?'))
    throw misuse('the path has a query', "give that as `query: { page: '2' }`");
  if (typeof status === 'string') throw misuse('the status is a text', `give a number: ${status}`);
  const { exchanges } = Object(gate) as Partial<Asked>;
  if (!exchanges) throw misuse('it received no gate and no session', 'await startReplay()');
  const expected = expectedOf(parts);
  const seen = await exchanges();
  const same = comparing(runner);
  const compared = seen.map((shown) => {
    const actual = factsOf(shown, expected);
    const wrong = Object.keys(expected).filter((part) => !same(actual[part], expected[part])).length;
    return { shown, actual, wrong };
  });
  const found = compared.filter(({ shown, wrong }) => wrong === 0 && isServed(shown)).length;
  const [nearest] = compared.toSorted((a, b) => a.wrong - b.wrong);
  const how = times === undefined ? 'at least once' : amount(times, 'time');
  const message = () =>
    told(runner, 'toHaveServed', [
      `Expected ${runner.isNot ? 'not ' : ''}${how}, served ${amount(found, 'time')}.`,
      found === 0 && nearest ? (runner.utils.diff(expected, nearest.actual) ?? '') : '',
      listOf(seen),
    ]);
  return { pass: times === undefined ? found > 0 : found === times, message };
}

type Facts = Readonly<Record<string, unknown>>;

/** Its parts by their names; a header by itself: `header content-type`. */
function expectedOf({ method, headers = {}, ...parts }: ExpectedExchange): Facts {
  const each = Object.entries(headers).map(([name, value]) => [`header ${name.toLowerCase()}`, value]);
  const upper = typeof method === 'string' ? method.toUpperCase() : method;
  return { ...(method !== undefined && { method: upper }), ...parts, ...Object.fromEntries(each) };
}

/** The parts of an exchange that are expected. */
function factsOf({ request, response, session = '' }: ShownExchange, expected: Facts): Facts {
  const { path, query: written } = splitTarget(request.url);
  const query = valuesByName(queryPairs(written).flat());
  const headers = Object.entries(request.headers).map(([name, value]) => [`header ${name}`, `${value}`]);
  const all: Facts = {
    ...{ method: request.method, path, query, body: bodyOf(request.body) },
    ...{ status: response?.status, session, ...Object.fromEntries(headers) },
  };
  return Object.fromEntries(Object.keys(expected).map((part) => [part, all[part]]));
}

function bodyOf(body: ShownBody | undefined): unknown {
  if (body === undefined) return '';
  if (body.cut) return '(longer than the 64 KiB that a gate keeps)';
  if ('json' in body) return body.json;
  return 'text' in body ? body.text : Buffer.from(body.base64, 'base64');
}

/** Whether target, fake, recording or a fault answered it; not the gate for itself. */
function isServed({ response, answeredBy, fault, failure }: ShownExchange): boolean {
  const isFault = fault !== undefined && failure === undefined;
  return response !== undefined && (isFault || ['target', 'fake', 'recording'].includes(answeredBy));
}

/** `#2 PATCH /api/v2/accounts/current/projects/42 -> 200 (recording)`, and why it was refused. */
function listOf(exchanges: readonly ShownExchange[]): string {
  if (exchanges.length === 0)
    return "Nothing went by: the client's base URL must begin with the url of the gate.";
  const lines = exchanges.slice(-20).map(({ id, request, response, answeredBy, verdict, failure }) => {
    const answer = response ? `${response.status} (${answeredBy})` : 'no response';
    const error = verdict?.findings.find(({ severity }) => severity === 'error');
    const why = failure ?? (error && `${error.rule}: ${error.message}`);
    const line = `  #${id} ${request.method} ${request.url} -> ${answer}${why ? `: ${why}` : ''}`;
    return visible(shortened(line, 300));
  });
  return [`Seen: ${amount(exchanges.length, 'exchange')}`, ...lines].join('\n');
}
