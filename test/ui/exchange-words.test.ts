import { expect, it } from 'vitest';
import type { ShownExchange } from '../../src/server/show-exchange.ts';
import { summaryOf } from '../../src/ui/exchange-words.tsx';

const finding = (rule: string, severity: string, message: string) => ({
  rule,
  severity,
  message,
  pointer: '',
});
const exchange = (status: number, findings: object[]) =>
  ({
    response: { status, headers: {} },
    verdict: {
      outcome: 'block',
      findings,
      effects: [{ kind: 'environment-deleted', id: 3, name: 'Development' }],
      omitted: 0,
    },
  }) as unknown as ShownExchange;

it.each([
  [
    'what is not valid, by its first error',
    exchange(422, [
      finding('a', 'warn', 'it is odd'),
      finding('b', 'error', 'languages is missing'),
      finding('c', 'error', 'name is no text'),
    ]),
    'languages is missing, and 2 more',
  ],
  [
    'what deletes, by what is lost',
    exchange(409, [finding('a', 'error', 'environment 3 is left out')]),
    'environment 3 "Development" will be deleted permanently',
  ],
])('sums up %s', (_, given, text) => {
  expect(summaryOf(given)).toBe(text);
});
