import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointerOf } from '../../src/json/pointer.ts';
import { type ScanLimits, scanJson } from '../../src/json/scan-json.ts';

const LIMITS: ScanLimits = { depth: 128, values: 200_000 };

/** `duplicate-key /a @9` for each hazard. */
function hazardsOf(text: string): string[] {
  const hazards: string[] = [];
  const excess = scanJson(text, LIMITS, ({ kind, open, offset }) => {
    hazards.push(`${kind} ${pointerOf(open.map(({ token }) => token))} @${offset}`);
  });
  expect(excess).toBeUndefined();
  return hazards;
}

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
  it('is told with its place, shortened', () => {
    const long = '9'.repeat(60);
    for (const number of ['9007199254740993', '-1E400', '1e23', long]) {
      expect(hazardsOf(`{"id":${number}}`)).toEqual(['unsafe-number /id @6']);
      expect(hazardsOf(`[0, ${number}]`)).toEqual(['unsafe-number /1 @4']);
      expect(hazardsOf(number)).toEqual(['unsafe-number  @0']);
    }
    for (const number of ['9007199254740992', '1e22', '-0', '100000000000000000000'])
      expect(hazardsOf(number)).toEqual([]);
    scanJson(long, LIMITS, ({ what }) => expect(what).toBe(`${'9'.repeat(40)}…`));
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
  it('are passed by the first level too deep, and not before', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(scanJson(nested(128), LIMITS)).toBeUndefined();
    expect(scanJson(nested(129), LIMITS)).toBe('depth');
    expect(scanJson(`${'{"a":'.repeat(128)}{}`, LIMITS)).toBe('depth');
    expect(scanJson(`${'['.repeat(128)}1`, LIMITS)).toBeUndefined();
  });

  it('are passed by the first value too many, containers counted', () => {
    expect(scanJson('{"a":{"b":1}}', { ...LIMITS, values: 3 })).toBeUndefined();
    expect(scanJson('{"a":{"b":1}}', { ...LIMITS, values: 2 })).toBe('values');
    expect(scanJson('["",[],{},tru', { ...LIMITS, values: 4 })).toBe('values');
  });
});

it('takes any text, whatever its end', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'{}[]":,\\01-e tn') }),
      (text) => void scanJson(text, LIMITS, () => {}),
    ),
  );
});
