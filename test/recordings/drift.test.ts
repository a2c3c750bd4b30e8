import { expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { patternTree } from '../../src/json/pointer-pattern.ts';
import type { RecordedResponse, StoredHeaders } from '../../src/model/exchange.ts';
import { compareAnswers } from '../../src/recordings/drift.ts';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';

function answer(parts: Partial<RecordedResponse> = {}): RecordedResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, ...parts };
}

function compared(recorded: RecordedResponse, live: RecordedResponse, ignored: string[] = []) {
  return compareAnswers(recorded, live, { ignored: patternTree(ignored), redaction: DEFAULT_REDACTION });
}

function json(recorded: JsonValue, live: JsonValue, ignored?: string[]): string[] {
  return compared(answer({ body: { json: recorded } }), answer({ body: { json: live } }), ignored).lines;
}

const env = (id: number, name = `env ${id}`) => ({ id, name });
const LONG = 'x'.repeat(100);

it.each<[what: string, recorded: JsonValue, live: JsonValue, lines: string[]]>([
  [
    'gone, new, of another type and another value',
    { id: 1, name: 'a', gone: 'x', deep: { on: true, list: null } },
    { id: '1', name: 'b', deep: { on: true, list: [] }, more: {} },
    [
      '/id is "1", recorded 1',
      '/name is "b", recorded "a"',
      '/gone is gone, recorded "x"',
      '/deep/list is [], recorded null',
      '/more is new: live {}',
    ],
  ],
  ['the same in another order of members', { a: 1, b: [1] }, { b: [1], a: 1 }, []],
  [
    'what a placeholder stands for',
    { token: '[redacted]', n: 'key [redacted]' },
    { token: 5, n: 'key x' },
    [],
  ],
  [
    'beside a placeholder',
    { n: 'key [redacted] of 7' },
    { n: 'key x of 8' },
    ['/n is "key x of 8", recorded "key [redacted] of 7"'],
  ],
  [
    'far behind in a text',
    { a: `${LONG}b` },
    { a: `${LONG}c` },
    [`/a is "…${'x'.repeat(20)}c", recorded "…${'x'.repeat(20)}b"`],
  ],
  ['the body as a whole', 1, 2, ['the body is 2, recorded 1']],
  [
    'an item with an id',
    [env(1), env(2), env(3)],
    [env(1), env(3, 'new'), env(4)],
    [
      '/1 is gone, recorded {"id":2,"name":"env 2"}',
      '/2/name is "new", recorded "env 3"',
      '/3 is new: live {"id":4,"name":"env 4"}',
    ],
  ],
  [
    'the order of items',
    { e: [env(1), env(2)] },
    { e: [env(2), env(1)] },
    [
      '/e/0/id is 2, recorded 1',
      '/e/0/name is "env 2", recorded "env 1"',
      '/e/1/id is 1, recorded 2',
      '/e/1/name is "env 1", recorded "env 2"',
    ],
  ],
  ['one more item', [1, 3], [1, 3, 2], ['/2 is new: live 2']],
])('tells what differs: %s', (_, recorded, live, lines) => {
  expect(json(recorded, live)).toEqual(lines);
});

it('leaves out what is ignored, wherever it stands', () => {
  const before = { at: 1, items: [{ etag: 'a', n: 1 }], gone: 1, list: [1, 2] };
  const now = { at: 'now', items: [{ etag: 'b', n: 2 }], list: [3, 2] };
  expect(json(before, now, ['/at', '/items/*/etag', '/gone', '/list/*'])).toEqual([
    '/items/0/n is 2, recorded 1',
  ]);
  expect(json(before, now, [''])).toEqual([]);
});

it('tells a difference of ten thousand items in a few lines', { tags: 'slow' }, () => {
  const items = (price: number) => ({
    json: { items: Array.from({ length: 10_000 }, (_, id) => ({ id, price: price + id })) },
  });
  const drifts = compared(answer({ body: items(0) }), answer({ body: items(1) }));
  expect(drifts.count).toBe(10_000);
  expect(drifts.lines).toHaveLength(21);
  expect(drifts.lines.at(-1)).toBe('9980 more');
});

it('cuts and redacts what it quotes', () => {
  const lines = json({ a: 'x', b: 1 }, { a: 'y'.repeat(1000), b: { password: 'hunter22' } });
  expect(lines[0]?.length).toBeLessThan(200);
  expect(lines.join()).not.toContain('hunter22');
});

it('compares nothing else of an answer with another status', () => {
  expect(compared(answer(), answer({ status: 404, body: { json: 1 } })).lines).toEqual([
    'the status is 404, recorded 200',
  ]);
});

it('compares content type and location', () => {
  const of = (headers: StoredHeaders) => answer({ headers });
  const before = of({ 'content-type': 'application/json; charset=utf-8', etag: 'a' });
  expect(compared(before, of({ 'content-type': 'Application/JSON;charset=UTF-8', etag: 'b' })).count).toBe(0);
  expect(compared(before, of({ location: '/b?token=abc' })).lines).toEqual([
    'the header content-type is gone, recorded "application/json; charset=utf-8"',
    'the header location is new: live "/b?token=[redacted]"',
  ]);
});

it('compares texts, and shows where they begin to differ', () => {
  const text = (text: string) => answer({ body: { text } });
  expect(compared(text('a\nsame [redacted]\n'), text('a\nsame word\n')).count).toBe(0);
  expect(compared(text('a\nold line\n'), text('a\nnew line\n')).lines).toEqual([
    'the text differs: live "a\\nnew line\\n", recorded "a\\nold line\\n"',
  ]);
});

it('compares bytes, and says what was not compared', () => {
  const bytes = (text: string) =>
    answer({ body: { base64: Buffer.from(text, 'latin1').toString('base64') } });
  const linesOf = (live: RecordedResponse) => compared(bytes('\xff\x00abc'), live).lines;
  expect(linesOf(bytes('\xff\x00abc'))).toEqual([]);
  expect(linesOf(bytes('\xff\x00abcd'))).toEqual(['the bytes differ: live 6, recorded 5']);
  expect(linesOf(answer({ body: { omitted: 99 } }))).toEqual([
    'the body was not compared: it is too long, or cannot be decoded',
  ]);
});

it('says where a body is of another kind', () => {
  const page = answer({ body: { text: '<html>' } });
  expect(compared(answer({ body: { json: {} } }), page).lines).toEqual([
    'the body is text, recorded as JSON',
  ]);
  expect(compared(answer(), page).lines).toEqual(['the body is text, recorded as nothing']);
  expect(compared(answer(), answer()).lines).toEqual([]);
});
