import { describe, expect, it } from 'vitest';
import {
  codeOctets,
  decodeOctets,
  decodeOverlong,
  decodeUnits,
  decodeUnreserved,
  dropOctets,
  dropStrayPercents,
  foldCharacters,
  foldWellFormed,
  isPlain,
  looseReadings,
  truncateCharacters,
} from '../../src/contract/path-readings.ts';

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

describe('coded characters', () => {
  type Example = readonly [coded: string, expected: string];

  describe.each<[string, (path: string) => string, Example[]]>([
    [
      'coding octets',
      codeOctets,
      [
        ['/a b\u0000~', '/a b\u0000~'],
        // What Node gives of the octets of an é in UTF-8, and of one in Latin-1.
        ['\u00c3\u00a9', '%c3%a9'],
        ['\u00e9', '%e9'],
        // From a file.
        ['\u4e2d\u00e9', '%e4%b8%ad%c3%a9'],
        ['\ud800', '%ef%bf%bd'],
      ],
    ],
    [
      'decoding octets',
      decodeOctets,
      [
        ['%2F%2f%41%00', '//A\u0000'],
        ['%2525', '%25'],
        ['%c3%a9%ff', '%c3%a9%ff'],
        ['%u002f%c0%af', '%u002f%c0%af'],
        ['%', '%'],
        ['%zz%2', '%zz%2'],
      ],
    ],
    [
      'decoding overlong octets',
      decodeOverlong,
      [
        ['%c0%af%c1%b0%e0%80%af%f0%80%80%af%F8%80%80%80%AF%fc%80%80%80%80%af', '/p////'],
        ['%c0%2f%c1%1c', '/\\'],
        ['%c3%a9%e0%a0%80%41', '%c3%a9%e0%a0%80%41'],
      ],
    ],
    [
      'decoding units of UTF-16',
      decodeUnits,
      [
        ['%u002f%u0070%U0070', '/pp'],
        ['%u00e9%ud83d%ude00%ud800', '%c3%a9%f0%9f%98%80%ef%bf%bd'],
        ['%u00%uzzzz%41', '%u00%uzzzz%41'],
      ],
    ],
    ['decoding what is unreserved', decodeUnreserved, [['%2e%2E%41%7e%2f%25%3b%5c', '..A~%2f%25%3b%5c']]],
    [
      'folding characters',
      foldCharacters,
      [
        ['%C5%BF%E2%84%AA%EF%BD%90', 'sKp'],
        ['%C4%B1', 'I'],
        ['%c3%a9%CC%81', 'e'],
        ['%C2%AD%E2%80%8B%EF%BB%BF', ''],
        ['%AD%E9', 'e'],
        ['%EF%BC%8F%E2%81%84%E2%88%95%E2%88%96%E2%A7%B5', '///\\\\'],
        ['%E2%80%A4%E2%80%A5', '...'],
        ['%e4%b8%ad', '%e4%b8%ad'],
        ['%41', '%41'],
      ],
    ],
    [
      'folding what is well-formed',
      foldWellFormed,
      [
        ['%EF%BC%8F%AD', '/%AD'],
        ['%ff%c3%a9%EF%BC', '%ffe%EF%BC'],
        ['%F0%9D%90%A9%e4%b8%ad', 'p%e4%b8%ad'],
      ],
    ],
    ['truncating characters', truncateCharacters, [['%C5%B0%C4%AF%c3%a9', 'p/%c3%a9']]],
    ['dropping octets', dropOctets, [['a%ffb%c3%a9c%41', 'abc%41']]],
    ['dropping stray percents', dropStrayPercents, [['%a%%41%u0041%u41%', 'a%41%u0041u41']]],
  ])('%s', (_, step, examples) => {
    it.each(examples)('makes of %s', (coded, expected) => {
      expect(step(coded)).toBe(expected);
    });
  });
});
