import { describe, expect, it } from 'vitest';
import type { ShownExchange } from '../../src/server/show-exchange.ts';
import { choicesOf, filterOf, isWanted, verdictOf } from '../../src/ui/exchange-filter.ts';

const BLOCKED: ShownExchange = {
  id: 1,
  startedAt: '2026-11-20T12:00:00.000Z',
  durationMs: 1,
  request: { method: 'PATCH', url: '/api/v2/accounts/current/projects/42', headers: { 'x-team': 'Blue' } },
  response: { status: 409, headers: {} },
  verdict: {
    outcome: 'block',
    operation: 'updateProject',
    findings: [
      {
        rule: 'project.environment-deleted',
        severity: 'error',
        basis: 'stated',
        pointer: '/environments',
        message: 'environment 3 (Development) is left out',
      },
    ],
    effects: [{ kind: 'environment-deleted', id: 3, name: 'Development' }],
    omitted: 0,
  },
  answeredBy: 'gate',
  session: 'blue team',
};
const READ: ShownExchange = {
  id: 2,
  startedAt: '2026-11-20T12:00:01.000Z',
  durationMs: 1,
  request: { method: 'GET', url: '/api/v2/accounts/current/features/7?limit=5', headers: {} },
  answeredBy: 'target',
  failure: 'the client went away',
};

const ANSWERED = { verdict: { ...BLOCKED.verdict, outcome: 'pass' }, response: { status: 200, headers: {} } };
const CLEAN = { outcome: 'pass', findings: [], omitted: 0 };

it.each<[string, object]>([
  ['block', BLOCKED],
  ['none', READ],
  ['passed-error', ANSWERED],
  ['pass', { ...ANSWERED, verdict: CLEAN }],
  ['missed', { verdict: CLEAN, response: { status: 501, headers: {} }, answeredBy: 'gate' }],
  ['missed', { response: { status: 501, headers: {} }, answeredBy: 'gate' }],
  ['pass', { verdict: CLEAN, response: { status: 501, headers: {} }, answeredBy: 'target' }],
])('the verdict is %s', (verdict, exchange) => {
  expect(verdictOf(exchange as ShownExchange)).toBe(verdict);
  const wanted = isWanted(
    { ...READ, ...exchange } as ShownExchange,
    filterOf(new URLSearchParams({ verdict })),
  );
  if ('answeredBy' in exchange) expect(wanted).toBe(true);
});

describe('a filter', () => {
  it.each([
    ['', [1, 2]],
    ['verdict=block', [1]],
    ['verdict=none', [2]],
    ['verdict=pass', []],
    ['rule=project.environment-deleted', [1]],
    ['rule=schema.required', []],
    ['operation=updateProject', [1]],
    ['method=GET', [2]],
    ['path=FEATURES/7', [2]],
    ['path=limit', [2]],
    ['session=blue+team', [1]],
    ['session=.', [2]],
    ['text=development', [1]],
    ['text=went+away', [2]],
    ['text=BLUE', [1]],
    ['text=409', [1]],
    // The names of members are nothing that is shown.
    ['text=headers', []],
    ['verdict=block&method=GET', []],
    ['unknown=1', [1, 2]],
  ])('%s wants %j', (query, ids) => {
    const filter = filterOf(new URLSearchParams(query));
    expect([BLOCKED, READ].filter((one) => isWanted(one, filter)).map(({ id }) => id)).toEqual(ids);
  });

  it('has the choices that there are, and the one that is chosen', () => {
    expect(choicesOf([READ, BLOCKED], filterOf(new URLSearchParams('rule=schema.type')))).toEqual({
      rule: ['project.environment-deleted', 'schema.type'],
      operation: ['updateProject'],
      method: ['GET', 'PATCH'],
      session: ['.', 'blue team'],
    });
  });
});
