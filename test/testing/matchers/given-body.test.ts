import { describe, expect, it } from 'vitest';
import { givenBody } from '../../../src/testing/matchers/given-body.ts';

const LIMIT = 1000;
const textOf = (body: unknown, limit = LIMIT) => {
  const given = givenBody(body, limit);
  return 'wrong' in given ? given.wrong : given.bytes.toString();
};

describe('the bytes of a body', () => {
  it('are those of text and bytes as they are', () => {
    expect(textOf('{ "ä":1 }')).toBe('{ "ä":1 }');
    expect(textOf(Buffer.from('xabcx').subarray(1, 4))).toBe('abc');
    expect(textOf('')).toBe('');
  });

  it('are what JSON.stringify makes of a value, a member a line', () => {
    expect(textOf({ a: [1], b: new Date(0), c: null })).toBe(
      '{\n  "a": [\n    1\n  ],\n  "b": "1970-01-01T00:00:00.000Z",\n  "c": null\n}',
    );
    const shared = { x: 1 };
    expect(textOf([shared, shared], 20)).toBe('[{"x":1},{"x":1}]');
    expect(textOf(null)).toBe('null');
  });

  it.each([
    [undefined, 'the body is undefined: there is nothing to judge'],
    [{ name: undefined }, '/name is undefined: JSON has no such value\n  hint: leave the member out'],
    [{ a: { 'b/c': [() => 1] } }, '/a/b~1c/0 is a function: JSON has no such value'],
    [{ id: Number.NaN }, '/id is NaN: JSON would make null of it'],
    [{ id: Number.NEGATIVE_INFINITY }, '/id is -Infinity: JSON would make null of it'],
    [{ id: 1n }, '/id is a bigint: JSON has no such value'],
    [new Map(), 'the body is an object of Map: JSON would make {} of it\n  hint: Object.fromEntries(map)'],
    [{ tags: new Set() }, '/tags is an object of Set: JSON would make {} of it'],
    [{ name: /x/ }, '/name is an object of RegExp: JSON would make {} of it'],
    [[new Error('x')], '/0 is an object of Error'],
    [
      { later: Promise.resolve() },
      '/later is an object of Promise: JSON would make {} of it\n  hint: await it',
    ],
    [Promise.resolve(), 'the body is a promise\n  hint: await it'],
    [Symbol('x'), 'the body is a symbol'],
    [
      new Response('{}'),
      'the body is an object of Response: JSON would make {} of it\n  hint: await response.json()',
    ],
    [new URLSearchParams('a=1'), 'the body is an object of URLSearchParams: JSON would make {} of it'],
    [{ form: new FormData() }, '/form is an object of FormData: JSON would make {} of it'],
    [{ toJSON: () => undefined }, 'there is no JSON for the body: its toJSON gives nothing'],
    [{ id: { toJSON: () => 1n } }, 'there is no JSON for the body: Do not know how to serialize a BigInt'],
    // biome-ignore lint/suspicious/noSparseArray: what is to be seen.
    [[1, , 2], '/1 is undefined'],
  ])('%o has none', (body, message) => {
    expect(textOf(body)).toContain(message);
  });

  it('are what is shown of one, where that is given and whole', () => {
    expect(textOf({ json: { a: 1 }, size: 7 })).toBe('{\n  "a": 1\n}');
    expect(textOf({ text: '{"a":1,"a":2}', size: 13 })).toBe('{"a":1,"a":2}');
    expect(textOf({ base64: 'eA==', size: 1 })).toBe('x');
    expect(textOf({ text: '{"a', size: 70_000, cut: true })).toBe(
      'the body is cut: exchanges() shows the first 64 KiB of one, and this has 70,000 bytes\n' +
        '  hint: give the body itself, as the client sends it',
    );
  });

  it.each([
    { json: {}, size: 1, more: 1 },
    { json: {}, text: '', size: 1 },
    { text: 1, size: 1 },
    { json: {}, size: '1' },
    { json: {} },
    { text: '', size: 1, cut: false },
    { size: 1 },
  ])('are those of %j itself, which is nothing that is shown', (body) => {
    expect(JSON.parse(textOf(body))).toEqual(body);
  });

  it('are those of instances with members, and of nothing', () => {
    class Project {
      name = 'x';
    }
    expect(textOf([new Project(), {}, Object.create(null)], 20)).toBe('[{"name":"x"},{},{}]');
  });

  it('are none of what is nested too deep to be written', () => {
    let body = {};
    for (let level = 0; level < 100_000; level++) body = { body };
    expect(textOf(body)).toBe('the body is nested more than 1000 levels deep');
  });

  it('are none of what holds itself', () => {
    const body: Record<string, unknown> = { list: [] };
    (body.list as unknown[]).push(body);
    expect(textOf(body)).toBe('/list/0 is an object that it stands in itself: there is no JSON for it');
  });
});
