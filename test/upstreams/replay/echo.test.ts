import { expect, it } from 'vitest';
import { echoInto } from '../../../src/upstreams/replay/echo.ts';

const ID = [{ from: '/requestId', to: '/id' }];

it.each([
  ['{"id":"old","n":1}', { requestId: 'new' }, ID, '{"id":"new","n":1}'],
  ['{\n  "id": 1\n}', { requestId: { a: [2] } }, ID, '{\n  "id": {\n    "a": [\n      2\n    ]\n  }\n}'],
  ['[{"a":{"b":1}}]', { x: [null] }, [{ from: '/x/0', to: '/0/a/b' }], '[{"a":{"b":null}}]'],
  ['[1,2]', { x: 3 }, [{ from: '/x', to: '/1' }], '[1,3]'],
  ['{"id": "old"}', {}, ID, '{"id": "old"}'],
  ['{"id": "old"}', undefined, ID, '{"id": "old"}'],
  ['{"n": 1}', { requestId: 'new' }, ID, '{"n": 1}'],
  ['no JSON', { requestId: 'new' }, ID, 'no JSON'],
  ['{}', { requestId: 'new' }, [{ from: '/requestId', to: '/__proto__/id' }], '{}'],
])('%s with %j by %j is %s', (answer, request, rules, echoed) => {
  expect(echoInto(Buffer.from(answer), request, rules).toString()).toBe(echoed);
});
