import { expect, it } from 'vitest';
import { nextMemberName } from '../../../src/recordings/redaction/member-names.ts';

function namesOf(text: string): [name: string, value: number][] {
  const names: [string, number][] = [];
  let at = 0;
  for (let found = nextMemberName(text, at); found !== undefined; found = nextMemberName(text, at)) {
    names.push([found.name, found.value]);
    at = found.value;
  }
  return names;
}

/** The same as a pattern, which takes a hundred times as long for some texts. */
function namesByPattern(text: string): [name: string, value: number][] {
  const member = /"((?:[^"\\]|\\.){1,200})"\s*:\s*/g;
  return Array.from(text.matchAll(member), (found) => [
    found[1] as string,
    (found.index as number) + found[0].length,
  ]);
}

it('finds the names of members', () => {
  expect(namesOf('{"a" :\n 1, "b\\"c":{"d\\\\":[]}, "e": "f"}')).toEqual([
    ['a', 8],
    ['b\\"c', 18],
    ['d\\\\', 25],
    ['e', 35],
  ]);
});

it('looks at a text from an offset on', () => {
  expect(nextMemberName('"a":"b":1', 4)).toEqual({ name: 'b', value: 8 });
  expect(nextMemberName('"a":1', 1)).toBeUndefined();
});

it('finds what the pattern finds, in texts of any kind', () => {
  const parts = ['"', '"', '"', '\\', '\\', ':', ':', ' ', '\n', '\u2028', '\u00a0', 'a', '{', '\\"'];
  const long = ['x'.repeat(199), '\\"'.repeat(150), '\\\\'.repeat(99), '\\x'.repeat(100)];
  // A generator of numbers that gives the same ones every time.
  let state = 1;
  const below = (count: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % count;
  };
  let found = 0;
  for (let i = 0; i < 20_000; i++) {
    const pieces = i % 10 === 0 ? [...parts, ...long] : parts;
    const text = Array.from({ length: below(25) }, () => pieces[below(pieces.length)]).join('');
    const names = namesOf(text);
    if (names.length > 0) found++;
    expect(names, JSON.stringify(text)).toEqual(namesByPattern(text));
  }
  expect(found).toBeGreaterThan(3000);
});
