import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import { patternTree } from '../../../src/json/pointer-pattern.ts';
import type { RecordedResponse, StoredHeaders } from '../../../src/model/exchange.ts';
import { compareAnswers } from '../../../src/recordings/drift/compare-answers.ts';
import { DEFAULT_REDACTION } from '../../../src/recordings/redaction/redaction.ts';

interface Options {
  ignored?: string[];
}

function answer(parts: Partial<RecordedResponse> = {}): RecordedResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, ...parts };
}

/** `drift.removed /name` for each difference, and what is said of it. */
function compared(recorded: RecordedResponse, live: RecordedResponse, { ignored = [] }: Options = {}) {
  const drifts = compareAnswers(recorded, live, {
    ignored: patternTree(ignored),
    headers: new Set(['content-type', 'location']),
    redaction: DEFAULT_REDACTION,
  });
  const { count, told } = drifts;
  return {
    count,
    rules: told.map(({ rule, pointer }) => `${rule} ${pointer}`.trim()),
    said: told.map(({ message }) => message()),
  };
}

function json(recorded: JsonValue, live: JsonValue, options?: Options) {
  return compared(answer({ body: { json: recorded } }), answer({ body: { json: live } }), options);
}

describe('of JSON', () => {
  it('says what is gone, new, of another type and of another value', () => {
    const before = { id: 1, name: 'a', gone: 'x', deep: { on: true, list: null } };
    const now = { id: '1', name: 'b', deep: { on: true, list: [] }, more: {} };
    const { rules, said } = json(before, now);
    expect(rules).toEqual([
      'drift.type-changed /id',
      'drift.value-changed /name',
      'drift.removed /gone',
      'drift.type-changed /deep/list',
      'drift.added /more',
    ]);
    expect(said).toEqual([
      '"id" is a string, recorded as a number: live "1", recorded 1',
      '"name" is "b", recorded "a"',
      '"gone" is gone, recorded "x"',
      '"list" is an array, recorded as null: live [], recorded null',
      '"more" is new: live {}',
    ]);
  });

  it('has nothing to say of the order of members, nor of how it is written', () => {
    expect(json({ a: 1, b: [1] }, { b: [1], a: 1 }).rules).toEqual([]);
    const spaced = answer({ body: { text: '{"a": 1}' } });
    expect(compared(spaced, answer({ body: { json: { a: 1 } } })).rules).toEqual([]);
    expect(compared(spaced, answer({ body: { json: { a: 2 } } })).rules).toEqual(['drift.value-changed /a']);
  });

  it('takes a recorded placeholder for any value', () => {
    const secret = { token: '[redacted]', note: 'key [redacted] of 7', at: 'x' };
    expect(json(secret, { token: 5, note: 'key abc of 7', at: 'x' }).rules).toEqual([]);
    expect(json(secret, { token: 5, note: 'key abc of 8', at: '[redacted]' }).rules).toEqual([
      'drift.value-changed /note',
      'drift.value-changed /at',
    ]);
  });

  it('leaves out what is ignored, wherever it stands', () => {
    const ignored = ['/at', '/items/*/etag', '/gone', '/list/*'];
    const before = { at: 1, items: [{ etag: 'a', n: 1 }], gone: 1, list: [1, 2] };
    const now = { at: 'now', items: [{ etag: 'b', n: 2 }], list: [3] };
    expect(json(before, now, { ignored }).rules).toEqual(['drift.value-changed /items/0/n']);
    expect(json(before, now, { ignored: [''] }).rules).toEqual([]);
  });

  it('tells a difference of ten thousand items in a few lines', { tags: 'slow' }, () => {
    const items = (price: number) => ({
      items: Array.from({ length: 10_000 }, (_, id) => ({ id, price: price + id })),
    });
    const { count, rules, said } = json(items(0), items(1));
    expect(count).toBe(10_000);
    expect(rules).toEqual([0, 1, 2].map((i) => `drift.value-changed /items/${i}/price`));
    expect(said[2]).toBe('"price" is 3, recorded 2; 9997 more like it at /items/*/price');
  });

  it('shows long texts from where they differ', () => {
    const long = 'x'.repeat(100);
    expect(json({ a: `${long}b` }, { a: `${long}c` }).said).toEqual([
      `"a" is "…${'x'.repeat(20)}c", recorded "…${'x'.repeat(20)}b"`,
    ]);
  });

  it('cuts and redacts what it quotes', () => {
    const { said } = json({ a: 'x', b: 1 }, { a: 'y'.repeat(1000), b: { password: 'hunter22' } });
    expect(said[0]?.length).toBeLessThan(200);
    expect(said.join()).not.toContain('hunter22');
  });
});

describe('of arrays', () => {
  const env = (id: number, name = `env ${id}`) => ({ id, name });

  it('pairs items by their ids', () => {
    const { rules, said } = json([env(1), env(2), env(3)], [env(1), env(3, 'new'), env(4)]);
    expect(rules).toEqual(['drift.value-changed /2/name', 'drift.items']);
    expect(said[1]).toBe(
      'the body has 3 items, recorded 3: 1 gone ({"id":2,"name":"env 2"}), 1 new ({"id":4,"name":"env 4"})',
    );
  });

  it('calls an id that became a text one of another type, whatever else came and went', () => {
    const text = { id: '1', name: 'env 1' };
    expect(json({ environments: [env(1), env(2)] }, { environments: [text, env(2)] }).said).toEqual([
      '"id" is a string, recorded as a number: live "1", recorded 1',
    ]);
    expect(json({ environments: [env(1), env(2)] }, { environments: [env(3), text] }).rules).toEqual([
      'drift.type-changed /environments/0/id',
      'drift.items /environments',
    ]);
    expect(json([env(1)], [env(1), text]).rules).toEqual(['drift.items']);
  });

  it('says that they stand in another order', () => {
    expect(json({ e: [env(1), env(2)] }, { e: [env(2), env(1)] }).rules).toEqual(['drift.value-changed /e']);
  });

  it('pairs the others by their places, from both ends', () => {
    expect(json([1, 2, 3], [0, 1, 2, 3]).said).toEqual(['the body has 4 items, recorded 3: 1 new (0)']);
    expect(json([1, 2, 3], [1, 3]).said).toEqual(['the body has 2 items, recorded 3: 1 gone (2)']);
    expect(json([1, 2], [1, 'b']).rules).toEqual(['drift.type-changed /1']);
    expect(json([env(1)], [env(9, 'env 1')]).rules).toEqual(['drift.value-changed /0/id']);
  });
});

describe('of the rest', () => {
  it('says nothing else of an answer with another status', () => {
    const gone = answer({ status: 404, headers: {}, body: { json: { error: 1 } } });
    const { rules, said } = compared(answer({ body: { json: { a: 1 } } }), gone);
    expect(rules).toEqual(['drift.status']);
    expect(said).toEqual(['the status is 404, recorded 200']);
  });

  it('compares the headers that count', () => {
    const of = (headers: StoredHeaders) => answer({ headers });
    const before = of({ 'content-type': 'application/json; charset=utf-8', etag: 'a' });
    expect(
      compared(before, of({ 'content-type': 'Application/JSON;charset=UTF-8', etag: 'b' })).rules,
    ).toEqual([]);
    expect(compared(before, of({ location: '/b?token=abc' })).said).toEqual([
      'the header content-type is gone, recorded "application/json; charset=utf-8"',
      'the header location is new: live "/b?token=[redacted]"',
    ]);
  });

  it('compares texts, and shows where they begin to differ', () => {
    const text = (text: string) => answer({ body: { text } });
    expect(compared(text('a\nsame [redacted]\n'), text('a\nsame word\n')).rules).toEqual([]);
    expect(compared(text('a\nold line\n'), text('a\nnew line\n')).said).toEqual([
      'the text is another one: live "new line", recorded "old line"',
    ]);
  });

  it('compares bytes', () => {
    const base64 = (text: string) => ({ base64: Buffer.from(text, 'latin1').toString('base64') });
    const file = answer({ body: base64('\xff\x00abc') });
    expect(compared(file, answer({ body: base64('\xff\x00abc') })).rules).toEqual([]);
    expect(compared(file, answer({ body: base64('\xff\x00abcd') })).said).toEqual([
      'the bytes are other ones: live 6, recorded 5',
    ]);
    expect(compared(file, answer({ body: { omitted: 99 } })).said).toEqual([
      'the body was not compared: it is longer than the 16 MiB that recordings keep',
    ]);
    const coded = answer({
      body: { omitted: 99 },
      headers: { 'content-type': 'application/json', 'content-encoding': 'zstd' },
    });
    expect(compared(file, coded).said).toEqual([
      'the body was not compared: it cannot be decoded ("zstd"), or gives too much',
    ]);
  });

  it('says where a body is of another kind', () => {
    const page = answer({ body: { text: '<html>' } });
    expect(compared(answer({ body: { json: {} } }), page).said).toEqual([
      'the body is text, recorded as JSON',
    ]);
    const live = (text: string) => compared(answer({ body: { json: {} } }), answer({ body: { text } })).said;
    expect(live('{"a":')).toEqual(['the body is no valid JSON, recorded as JSON']);
    expect(live('{"a":9007199254740993}')[0]).toContain('(a name twice, a large number, very deep)');
    expect(compared(answer(), page).rules).toEqual(['drift.type-changed']);
    expect(compared(answer(), answer()).rules).toEqual([]);
  });
});
