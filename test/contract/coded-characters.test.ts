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
  truncateCharacters,
} from '../../src/contract/coded-characters.ts';

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
