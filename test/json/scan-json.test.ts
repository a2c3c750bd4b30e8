import { describe, expect, it } from 'vitest';
import { pointerOf } from '../../src/json/pointer.ts';
import { type ScanLimits, scanJson } from '../../src/json/scan-json.ts';
import { oneOf, sequence } from '../support/numbers.ts';

const LIMITS: ScanLimits = { depth: 128, values: 200_000 };

/** `duplicate-key /a @9` for each hazard. */
function hazardsOf(text: string): string[] {
  const hazards: string[] = [];
  const { error, excess, hazardCount } = scanJson(text, LIMITS, ({ kind, open, offset }) => {
    hazards.push(`${kind} ${pointerOf(open.map(({ token }) => token))} @${offset}`);
  });
  expect({ error, excess, hazardCount }).toEqual({
    error: undefined,
    excess: undefined,
    hazardCount: hazards.length,
  });
  return hazards;
}

describe('the grammar is that of JSON.parse', () => {
  const next = sequence(8259);
  const some = (max: number, make: () => string, glue = '') =>
    Array.from({ length: Math.floor(next() * max) }, make).join(glue);
  const space = () => some(3, () => oneOf(next, [' ', '\t', '\n', '\r']));
  const digits = () => `${Math.floor(next() * 10)}${some(20, () => String(Math.floor(next() * 10)))}`;
  const number = () =>
    `${oneOf(next, ['', '-'])}${oneOf(next, ['0', `${1 + Math.floor(next() * 9)}${some(18, () => '7')}`])}` +
    `${oneOf(next, ['', `.${digits()}`])}${oneOf(next, ['', '', `${oneOf(next, ['e', 'E', 'e+', 'E-'])}${digits().slice(0, 3)}`])}`;
  const text = () =>
    `"${some(6, () => oneOf(next, ['a', 'é', '\\n', '\\"', '\\\\', '\\/', '\\u00e9', '\\uD83D', '💡', ' ', '\u007f', '\u2028', '/', '~']))}"`;
  const value = (depth: number): string => {
    const kind = next();
    const inner = () => `${space()}${value(depth - 1)}${space()}`;
    if (depth > 0 && kind < 0.25) return `[${some(4, inner, ',') || space()}]`;
    if (depth > 0 && kind < 0.5)
      return `{${some(4, () => `${space()}${text()}${space()}:${inner()}`, ',') || space()}}`;
    if (kind < 0.7) return number();
    return kind < 0.85 ? text() : oneOf(next, ['true', 'false', 'null']);
  };
  const mutate = (json: string) => {
    const at = Math.floor(next() * (json.length + 1));
    const piece = oneOf(next, [
      '',
      ',',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ':',
      '0',
      '-',
      '+',
      '.',
      'e',
      'u',
      'x',
      '\n',
      '\u0000',
      '\u001f',
      '\u00a0',
      '\ufeff',
      '\v',
      '/**/',
      "'",
      'NaN',
      'tru',
    ]);
    return json.slice(0, at) + piece + json.slice(at + Math.floor(next() * 3));
  };
  const isJson = (json: string) => {
    try {
      JSON.parse(json);
      return true;
    } catch {
      return false;
    }
  };
  const differences = (texts: readonly string[]) =>
    texts.filter((json) => (scanJson(json, LIMITS).error === undefined) !== isJson(json));

  it('for thousands of valid texts', { tags: 'slow' }, () => {
    const texts = Array.from({ length: 3000 }, () => `${space()}${value(4)}${space()}`);
    expect(texts.filter(isJson)).toHaveLength(texts.length);
    expect(differences(texts)).toEqual([]);
  });

  it('for thousands of texts with one to three mistakes', { tags: 'slow' }, () => {
    const texts = Array.from({ length: 8000 }, () => {
      let json = value(3);
      for (let i = 0; i <= next() * 3; i++) json = mutate(json);
      return json;
    });
    const valid = texts.filter(isJson).length;
    expect(valid).toBeGreaterThan(500);
    expect(texts.length - valid).toBeGreaterThan(3000);
    expect(differences(texts)).toEqual([]);
  });

  it('for every text of up to four characters that matter', { tags: 'slow' }, () => {
    const pieces = ['{', '}', '[', ']', ',', ':', '"', '\\', '0', '1', '-', '.', 'e', ' '];
    let texts = [''];
    for (let i = 0; i < 4; i++)
      texts = [...new Set(texts.flatMap((start) => ['', ...pieces].map((piece) => start + piece)))];
    expect(texts.length).toBeGreaterThan(40_000);
    expect(differences(texts)).toEqual([]);
  });
});

describe('what is wrong', () => {
  it.each([
    ['', 0, 'the document ends where a value should be'],
    ['  ', 2, 'the document ends where a value should be'],
    ['{"name":', 8, 'the document ends where a value should be'],
    ['{"a":1,}', 7, 'expected a member name in double quotes, found "}"'],
    ["{'a':1}", 1, 'expected a member name in double quotes, found "\'"'],
    ['{"a" 1}', 5, 'expected ":", found "1"'],
    ['{"a":1 "b":2}', 7, 'expected "," or "}", found "\\""'],
    ['[1 2]', 3, 'expected "," or "]", found "2"'],
    ['[1,]', 3, 'expected a value, found "]"'],
    ['{} {}', 3, 'expected the end of the document, found "{"'],
    ['01', 1, 'expected the end of the document, found "1"'],
    ['-', 1, 'the document ends where a digit should be'],
    ['1.', 2, 'the document ends where a digit should be'],
    ['1e+x', 3, 'expected a digit, found "x"'],
    ['nul', 0, 'expected a value, found "n"'],
    ['NaN', 0, 'expected a value, found "N"'],
    ['"a', 2, 'the document ends where the closing quote of a string should be'],
    ['"\t"', 1, 'expected a string without raw control characters, found "\\t"'],
    ['"\\x"', 1, 'expected an escape that JSON knows (\\n, \\u00e9, …), found "\\\\"'],
    ['💡', 0, 'expected a value, found "💡"'],
  ])('%j is wrong at %i', (text, offset, message) => {
    expect(scanJson(text, LIMITS).error).toEqual({ offset, message });
  });
});

describe('a name that comes twice', () => {
  it.each([
    ['{"a":1,"a":2}', ['duplicate-key /a @7']],
    ['{"a":1,"a":2,"a":3}', ['duplicate-key /a @7', 'duplicate-key /a @13']],
    ['{"a":1,"\\u0061":2}', ['duplicate-key /a @7']],
    ['{"\\/":1,"/":2}', ['duplicate-key /~1 @8']],
    ['{"a":{"b":[0,{"c":1,"c":2}]}}', ['duplicate-key /a/b/1/c @20']],
    ['{"":1,"":2}', ['duplicate-key / @6']],
    ['{"a":1,"A":2}', []],
    ['{"a":{"a":1},"b":{"a":1}}', []],
    ['[{"a":1},{"a":1}]', []],
    ['["a","a"]', []],
  ])('%s', (text, hazards) => {
    expect(hazardsOf(text)).toEqual(hazards);
  });

  it('is found among many', () => {
    const names = Array.from({ length: 200 }, (_, index) => `"n${index}":0`);
    expect(hazardsOf(`{${names.join(',')}}`)).toEqual([]);
    for (const index of [0, 11, 12, 13, 199])
      expect(hazardsOf(`{${names.join(',')},"n${index}":1}`)).toHaveLength(1);
  });
});

describe('a number that readers see differently', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '9007199254740993e0',
    '900719925474099.3e1',
    '123456789012345678',
    '1e400',
    '-1E400',
    '1e23',
  ])('%s', (number) => {
    expect(hazardsOf(`{"id":${number}}`)).toEqual(['unsafe-number /id @6']);
    expect(hazardsOf(`[0, ${number}]`)).toEqual(['unsafe-number /1 @4']);
    expect(hazardsOf(number)).toEqual(['unsafe-number  @0']);
  });

  it.each(['9007199254740992', '9007199254740994', '1e22', '0.1', '-0', '100000000000000000000'])(
    'not %s',
    (number) => {
      expect(hazardsOf(number)).toEqual([]);
    },
  );

  it('is told shortened', () => {
    let what = '';
    scanJson('9'.repeat(60), LIMITS, (hazard) => {
      what = hazard.what;
      return true;
    });
    expect(what).toBe(`${'9'.repeat(40)}…`);
  });
});

describe('a name that reaches into prototypes', () => {
  it.each([
    ['{"__proto__":1}', ['unsafe-key /__proto__ @1']],
    ['{"\\u005f_proto__":1}', ['unsafe-key /__proto__ @1']],
    ['{"a":[{"__proto__":{}}]}', ['unsafe-key /a/0/__proto__ @7']],
    ['{"constructor":{"prototype":{}}}', ['unsafe-key /constructor @1']],
    ['{"constructor":{"a":1,"prototype":0}}', ['unsafe-key /constructor @1']],
    ['{"constructor":{"a":1}}', []],
    ['{"constructor":[{"prototype":1}]}', []],
    ['{"prototype":{"constructor":1}}', []],
    ['{"constructor":1,"prototype":1}', []],
    ['["__proto__"]', []],
  ])('%s', (text, hazards) => {
    expect(hazardsOf(text)).toEqual(hazards);
  });
});

describe('the limits', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it('are passed by the first level too deep, and not before', () => {
    expect(scanJson(nested(128), LIMITS).excess).toBeUndefined();
    expect(scanJson(nested(129), LIMITS).excess).toEqual({ limit: 'depth', offset: 128 });
    expect(scanJson(`${'{"a":'.repeat(128)}{}`, LIMITS).excess).toEqual({ limit: 'depth', offset: 640 });
    expect(scanJson(`${'['.repeat(128)}1`, LIMITS).excess).toBeUndefined();
  });

  it('are passed by the first value too many, containers counted', () => {
    const list = (values: number) =>
      `[${Array(values - 1)
        .fill('0')
        .join(',')}]`;
    expect(scanJson(list(200_000), LIMITS).excess).toBeUndefined();
    expect(scanJson(list(200_001), LIMITS).excess?.limit).toBe('values');
    expect(scanJson('{"a":{"b":1}}', { ...LIMITS, values: 2 }).excess).toEqual({
      limit: 'values',
      offset: 10,
    });
  });

  it('end the scan: what comes after is not looked at', () => {
    expect(scanJson(`${nested(129)} nonsense`, LIMITS).error).toBeUndefined();
  });
});

it('reads without a listener as well', () => {
  expect(scanJson('{"a":1,"a":9007199254740993}', LIMITS)).toEqual({ hazardCount: 2 });
});
