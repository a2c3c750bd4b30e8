import { describe, expect, it } from 'vitest';
import { brief } from '../support/gate.ts';
import { found, read } from '../support/read-body.ts';

describe('what readers see differently', () => {
  it('is found with its place, and the body is read all the same', () => {
    const { findings, json } = read('{"a": 1,\n "\\u0061": 9007199254740993,\n "b": {"__proto__": {}}}');
    expect(findings).toMatchObject([
      { rule: 'request.duplicate-key', severity: 'error', pointer: '/a', line: 2, column: 2 },
      { rule: 'request.unsafe-number', severity: 'error', pointer: '/a', line: 2, column: 12 },
      { rule: 'request.unsafe-key', severity: 'error', pointer: '/b/__proto__', line: 3, column: 8 },
    ]);
    expect(findings[1]?.message).toContain('/a is 9007199254740993');
    expect(json).toMatchObject({ a: 9007199254740992 });
    expect(Object.getPrototypeOf((json as { b: object }).b)).toBe(Object.prototype);
  });

  it('names what it is about where that is the whole body', () => {
    expect(read('1e999').findings[0]?.message).toBe(
      'the body is 1e999, a number that a double cannot hold exactly',
    );
  });

  it('only warns of numbers where the contract leaves the value open', () => {
    const body = '{"open":[{"x":1e999}],"closed":1e999,"open2":{"a":1,"a":2}}';
    const isOpen = (path: readonly (string | number)[]) => String(path[0]).startsWith('open');
    expect(found(body, { isOpen })).toEqual([
      'request.unsafe-number warn /open/0/x',
      'request.unsafe-number error /closed',
      'request.duplicate-key error /open2/a',
    ]);
  });

  it('is never hidden by what only warns', () => {
    const many = `[${Array(3000).fill('9007199254740993').join(',')}]`;
    const { findings, omitted } = read(`{"open":${many},"a":9007199254740993,"b":1,"b":2}`, {
      isOpen: (path) => path[0] === 'open',
    });
    expect(brief(findings)).toContain('request.unsafe-number error /a');
    expect(brief(findings)).toContain('request.duplicate-key error /b');
    expect(findings.length + omitted).toBe(3002);
  });

  it('is kept within bounds, however long the names and however many the lines', () => {
    const twice = Array(2000).fill('"a":1').join(',');
    const name = 'x'.repeat(60_000);
    const long = read(`{"${name}":{${twice}}}`);
    expect(long.findings.length + long.omitted).toBe(1999);
    expect(long.findings.length).toBeLessThan(20);
    const lines = read(`{${'\n'.repeat(3_000_000)}${twice}}`);
    expect(lines.findings).toHaveLength(1000);
    expect(lines.findings[0]).toMatchObject({ line: 3_000_001, column: 7 });
  });

  it('ends the reading where a thousand block the request, and not where they only warn', () => {
    const twice = (times: number) => `{"a":0${',"a":1'.repeat(times)}}`;
    const blocks = () => true;
    expect(read(twice(1000), { blocks })).toMatchObject({ json: { a: 1 }, omitted: 0 });
    const flood = read(twice(5000), { blocks });
    expect(flood.findings).toHaveLength(1000);
    expect(flood.json).toBeUndefined();
    expect(read(twice(5000))).toMatchObject({ json: { a: 1 }, omitted: 4000 });
    const open = `[${Array(5000).fill('1e999').join(',')}]`;
    expect(read(open, { blocks, isOpen: () => true }).json).toHaveLength(5000);
    expect(found(`${twice(5000)}x`, { blocks })).toEqual(['request.json error']);
  });
});
