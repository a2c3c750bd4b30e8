import { types } from 'node:util';
import { isRecord } from '../../json/json.ts';
import type { ExpectedExchange } from './assertions.ts';
import { checkMembers } from './check-members.ts';
import { differing } from './exchange-differences.ts';
import { exchangesText } from './exchanges-text.ts';
import type { Judge } from './judge.ts';
import { misused, named, type Outcome, paintOf, type Runner, told, unusable } from './runner.ts';
import { exchangesOf, factsOf, isServed, UNKNOWN } from './seen-exchange.ts';
import { type Compared, nearestText, numbersOf, wantedText } from './served-text.ts';
import { showing } from './shown-value.ts';

const NAME = 'toHaveServed';
const MEMBERS = ['method', 'path', 'query', 'headers', 'body', 'status', 'session', 'times'];
const CALLED = { name: NAME, received: 'gate', expected: 'exchange' };

export function haveServed(runner: Runner, judge: Judge, gate: unknown, expected: ExpectedExchange): Outcome {
  checkExpected(expected);
  const show = showing(runner, judge.redaction);
  const seen = exchangesOf(gate);
  if (seen === undefined)
    return unusable(
      runner,
      CALLED,
      types.isPromise(gate)
        ? 'the received value is a promise\n  hint: await it: const gate = await replay()'
        : `the received value is no gate: ${show(gate)}\n  hint: give what replay(), fake() or proxy() of patchgate/testing resolves to, or a session of it`,
    );
  const { times } = expected;
  const differencesOf = differing(runner, expected);
  const all = seen.all.map(({ shown }) => shown);
  const compared = seen.all.map(({ shown, sent }) => ({
    exchange: shown,
    differences: differencesOf(factsOf(sent), factsOf(shown)),
  }));
  const served = compared.filter(({ exchange }) => isServed(exchange));
  const found = served.filter(({ differences }) => differences.length === 0);
  const pass = times === undefined ? found.length > 0 : found.length === times;
  const isSure = found.length > (times ?? 0);
  const doubts = isSure ? [] : doubtsOf(served, seen.areCut);
  const message = () =>
    told(runner, CALLED, [
      wantedText(
        show,
        expected,
        found.map(({ exchange }) => exchange),
        runner.isNot ?? false,
      ),
      doubts.join('\n'),
      pass || found.length > 0 ? '' : nearestText(show, compared, paintOf(runner)),
      exchangesText(all, paintOf(runner)),
    ]);
  // Nobody can say that something never was, or was so often, where more may have been.
  return { pass: doubts.length > 0 ? (runner.isNot ?? false) : pass, message };
}

function doubtsOf(served: readonly Compared[], areCut: boolean): string[] {
  const unknown = served.filter(
    ({ differences }) => differences.length > 0 && differences.every(({ actual }) => actual === UNKNOWN),
  );
  return [
    ...(unknown.length > 0
      ? [
          `Nobody can tell of ${numbersOf(unknown.map(({ exchange }) => exchange))}: the body is longer than the 64 KiB that a gate keeps of one.`,
        ]
      : []),
    ...(areCut
      ? [
          `Nobody can tell of earlier ones: a gate keeps the last 1,000 exchanges, and 32 MiB of them. Use gate.reset() between tests.`,
        ]
      : []),
  ];
}

function checkExpected(expected: ExpectedExchange): void {
  checkMembers(NAME, 'the exchange that is expected', expected, MEMBERS);
  const { path, headers, times } = expected;
  // What they are instead may hold secrets.
  if (headers !== undefined && !isRecord(headers))
    throw misused(
      NAME,
      'the headers are no object of names and values',
      "give them by name: { headers: { authorization: 'Bearer abc' } }",
    );
  if (typeof path === 'string' && !path.startsWith('/'))
    throw misused(
      NAME,
      `the path ${named(path)} does not begin with a slash`,
      'give it as it is sent: /api/v2/accounts/current/projects/42',
    );
  if (typeof path === 'string' && path.includes('?'))
    throw misused(
      NAME,
      `the path ${named(path)} has a query`,
      'give that by itself: { path, query: { limit: 2 } }',
    );
  if (times !== undefined && !(Number.isSafeInteger(times) && times >= 0))
    throw misused(NAME, `times cannot be ${named(times)}`, 'it is a whole number from 0');
}
