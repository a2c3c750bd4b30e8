import { describe, expect, it } from 'vitest';
import { isPlain, looseReadings } from '../../src/contract/path-readings.ts';

describe('a plain path', () => {
  it.each(['/a', '/a/b-c_d~e', '/v2.0/x', "/!$&'()*+,=:@", '/a.b', '', '/42.json'])(
    '%s has one reading',
    (path) => {
      expect(isPlain(path)).toBe(true);
    },
  );

  it.each([
    '/',
    '//a',
    '/a//b',
    '/a/',
    '/./a',
    '/a/.',
    '/..',
    '/.a',
    '/a.',
    '/a./b',
    '/a%20',
    '/a;b',
    '/a\\b',
    '/a#b',
    '/a b',
    '/é',
    '/a|b',
    '/{id}',
    'a/b',
    '*',
  ])('%s has not', (path) => {
    expect(isPlain(path)).toBe(false);
  });
});

describe('loose readings', () => {
  it('hold what each single server makes of a path', () => {
    const readings = looseReadings('/a/%2E%2e/b;v=1//c%2Fd\\e');
    for (const reading of [
      '/a/%2E%2e/b;v=1//c%2Fd\\e',
      '/a/../b;v=1//c/d\\e',
      '/b//c/d/e',
      '/b/c/d/e',
      '/a/b',
      '/b',
    ])
      expect(readings).toContain(reading);
  });

  it('hold the steps in either order', () => {
    // Parameters off, then decoded; and decoded, then parameters off.
    expect(looseReadings('/a;x%2Fy/%62')).toContain('/a/b');
    expect(looseReadings('/a;x%2Fy/%62')).toContain('/a/y/b');
    // `..` takes the empty segment away, or slashes are merged first.
    expect(looseReadings('/a/b//../c')).toContain('/a/b/c');
    expect(looseReadings('/a/b//../c')).toContain('/a/c');
  });

  it('are ASCII, whatever the path', () => {
    for (const reading of looseReadings('/\u00e9/%e9/\u4e2d/%uD83D%uDE00/%uD800/\ud83d\ude00') ?? [])
      expect(reading).toMatch(/^[\0-\x7f]+$/);
  });

  it('are not looked for where no word is of interest, however they are spelt', () => {
    const isOfInterest = (text: string) => text.includes('word');
    expect(looseReadings('/a%2Fb;c/d%00', isOfInterest)?.size).toBe(0);
    for (const word of ['word', '%77ord', 'w%256frd', 'wo%00rd', 'w%c2%adord', 'w%6%00frd'])
      expect(looseReadings(`/a%2Fb;c/../${word}`, isOfInterest)).toContain('/a/word');
  });

  it('are few for honest paths', () => {
    expect(looseReadings('/v2/stra%C3%9Fe/%E4%B8%AD%E6%96%87/%F0%9F%98%80')?.size).toBeLessThan(20);
    expect(looseReadings('/files/My%20Docs/R%26D/50%25.txt')?.size).toBeLessThan(10);
    expect(looseReadings('/a%20b;v=1//c%2Fd/../e./')?.size).toBeLessThan(100);
  });

  it.each(['/%252e;x#\\', '/..;%2525252525', '/%2e%2e', '%25', ';', '/.', '\\', '//'])(
    'are bounded for a long row of %s',
    (part) => {
      expect(looseReadings(part.repeat(16_000 / part.length))?.size ?? 0).toBeLessThanOrEqual(600);
    },
  );

  it('are given up where they would be too long', () => {
    expect(looseReadings(`/%${'25'.repeat(8000)}`)).toBeUndefined();
  });

  it('are given up where there would be too many', () => {
    const nested = (text: string, levels: number) => {
      let coded = text;
      for (let i = 0; i < levels; i++) coded = coded.replaceAll('%', '%25');
      return coded;
    };
    const parts = Array.from({ length: 40 }, (_, level) => nested('a%3Bb%23c%3Fd%00e%5C..%2F', level));
    expect(looseReadings(`/${parts.join('/')}`)).toBeUndefined();
  });
});
