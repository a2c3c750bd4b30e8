import { expect, it } from 'vitest';
import type { RecordedAnswer } from '../../../src/recordings/exchange-index.ts';
import type { EchoRule } from '../../../src/settings/define-config.ts';
import { echoing } from '../../../src/upstreams/replay/echo.ts';
import type { UpstreamRequest } from '../../../src/upstreams/upstream.ts';

function echoed(rules: EchoRule[], sent: unknown, recorded: unknown): unknown {
  const text = typeof recorded === 'string' ? recorded : JSON.stringify(recorded);
  const answer = { status: 200, message: '', headers: [], body: Buffer.from(text), from: 'recording' };
  const request = { method: 'PATCH', url: '/a', headers: [] } as unknown as UpstreamRequest;
  const body = Buffer.from(typeof sent === 'string' ? sent : JSON.stringify(sent));
  const made = echoing(rules, () => 'updateDraft')?.(request, body, answer as unknown as RecordedAnswer);
  expect(made?.headers ?? []).toEqual(
    made?.body === answer.body ? [] : ['content-length', String(made?.body.length)],
  );
  return made?.body.toString();
}

it.each<[what: string, rule: EchoRule, sent: unknown, recorded: unknown, answered: string]>([
  [
    'puts a value in the place of the recorded one',
    { from: '/id', to: '/a/0/id' },
    { id: { x: 1 } },
    { a: [{ id: 2 }] },
    '{"a":[{"id":{"x":1}}]}',
  ],
  [
    'for its operation',
    { operation: 'updateDraft', from: '/id', to: '/id' },
    { id: 1 },
    { id: 2 },
    '{"id":1}',
  ],
  [
    'not for another',
    { operation: 'updateProject', from: '/id', to: '/id' },
    { id: 1 },
    { id: 2 },
    '{"id":2}',
  ],
  ['nothing that was not sent', { from: '/id', to: '/id' }, {}, { id: 2 }, '{"id":2}'],
  ['nothing where nothing was recorded', { from: '/id', to: '/x/id' }, { id: 1 }, { id: 2 }, '{"id":2}'],
  ['nothing of a prototype', { from: '/id', to: '/__proto__/id' }, { id: 1 }, { id: 2 }, '{"id":2}'],
  ['nothing of a body that is no JSON', { from: '/id', to: '/id' }, 'id=1', { id: 2 }, '{"id":2}'],
  ['nothing into one that is none', { from: '/id', to: '/id' }, { id: 1 }, '{"id": 2', '{"id": 2'],
])('echo: %s', (_, rule, sent, recorded, answered) => {
  expect(echoed([rule], sent, recorded)).toBe(answered);
});

it('without rules there is no echo', () => {
  expect(echoing([], () => undefined)).toBeUndefined();
});
