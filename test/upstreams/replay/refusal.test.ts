import { expect, it } from 'vitest';
import { StoredExchange } from '../../../src/recordings/store/stored-exchange.ts';
import { refusal } from '../../../src/upstreams/replay/refusal.ts';
import { exchange } from '../../support/exchanges.ts';

it.each([
  [1, 1, 'it was recorded once and has been served as often already (--strict-sequence)'],
  [3, 3, 'it was recorded 3 times and has been served as often already (--strict-sequence)'],
  [
    3,
    1,
    'it was recorded 3 times and has been served once already (--strict-sequence); the others are no answers',
  ],
])('of what was recorded %i times and served %s times says so', (recorded, served, text) => {
  const { message } = refusal('r', {
    reason: 'already-served',
    stored: StoredExchange.of(exchange()),
    recorded,
    served,
  });
  expect(message.endsWith(`, but ${text}`)).toBe(true);
});

it.each([
  ['refused', 'no connection to the target could be made when it was recorded'],
  ['timeout', 'the target did not answer in time when it was recorded'],
  ['reset', 'the connection to the target broke when it was recorded'],
  ['truncated', 'the response broke off when it was recorded'],
] as const)('of a failure (%s) says what happened', (kind, text) => {
  const failed = { ...exchange(), failure: { kind } };
  expect(refusal('r', { reason: 'failure', stored: StoredExchange.of(failed) }).message).toContain(text);
});
