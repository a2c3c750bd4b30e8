import { expect, it } from 'vitest';
import type { Patchgate } from '../../../src/app/patchgate.ts';
import { BY_FLAGS, refusedTexts } from '../../../src/commands/exec/refused-text.ts';
import { nameMatcher } from '../../../src/model/name-pattern.ts';

type Shown = ReturnType<Patchgate['exchanges']> extends Iterable<infer T> ? T : never;

/** A PATCH of a path that was refused. */
const refusedPatch = (
  url: string,
  status: number,
  verdict: Partial<NonNullable<Shown['verdict']>> = {},
): Shown => ({
  ...{ id: 1, startedAt: '2026-11-20T12:00:00.000Z', durationMs: 1, answeredBy: 'gate' as const },
  request: { method: 'PATCH', url, headers: {} },
  response: { status, headers: {} },
  verdict: { outcome: 'block', status, findings: [], omitted: 0, ...verdict },
});

const gateOf = (newestFirst: Shown[], forgotten = 0) => ({
  exchanges: () => newestFirst,
  counts: () => ({ requests: 0, blocked: newestFirst.length + forgotten }),
});

/** What is said of a PATCH that deletes environments of these names. */
function saidOf(
  names: string[],
  effectsOmitted?: number,
  more: { protected?: true } = {},
): string | undefined {
  const effects: NonNullable<Shown['verdict']>['effects'] = names.map((name, id) => ({
    kind: 'environment-deleted',
    id,
    name,
    ...more,
  }));
  const one = refusedPatch('/x', 409, {
    ...{ problem: 'destructive-change', effects },
    ...(effectsOmitted && { effectsOmitted }),
  });
  const [text] = refusedTexts(gateOf([one]), BY_FLAGS, false);
  return text?.split('\n')[1];
}

it('tells alike ones once, and of many first what would delete, then the last', () => {
  const deleting = refusedPatch('/project', 409, { problem: 'destructive-change' });
  const others = [7, 6, 5, 4, 3, 2].map((id) => refusedPatch(`/${id}`, 422));
  const newestFirst = [...others.slice(0, 2), ...others, deleting];
  // Three more were there before the list was reset.
  expect(refusedTexts(gateOf(newestFirst, 3), BY_FLAGS, false)).toEqual([
    'the gate answered PATCH /project with 409: \n  where it is meant to go: the same command with --no-guard',
    'the gate answered PATCH /4 with 422: ',
    'the gate answered PATCH /5 with 422: ',
    'the gate answered PATCH /6 with 422:  (2 times)',
    'the gate answered PATCH /7 with 422:  (2 times)',
    '5 further requests were refused',
  ]);
});

it('names the environments as a flag takes them', () => {
  expect(saidOf(['Staging', 'Old one', 'Staging'])).toBe(
    "  where it is meant to go: the same command with --allow-delete 'Staging,Old one', or with --no-guard",
  );
  const odd = ["it's, or not", ' a\tb\u001b[2J '];
  const flag = /'(.*)'/.exec(saidOf(odd) ?? '')?.[1] ?? '';
  expect(flag).toBe('it?s? or not,?a?b?[2J?');
  const patterns = flag.split(',').map((text) => text.trim());
  expect(odd.map(nameMatcher(patterns))).toEqual([true, true]);
});

it('shows no way to delete what is protected', () => {
  expect(saidOf(['Staging'], undefined, { protected: true })).toBe(
    '  the guard policy protects it: nothing deletes it through this gate',
  );
});

it.each([
  ['none are known', [], undefined],
  ['one has no name', ['a', ''], undefined],
  ['one is redacted', ['a [redacted]'], undefined],
  ['one is long', ['x'.repeat(101)], undefined],
  ['there are many', Array.from({ length: 11 }, (_, i) => `e${i}`), undefined],
  ['more are not listed', ['a'], 3],
])('names none where %s', (_, names, omitted) => {
  expect(saidOf(names, omitted)).toBe('  where it is meant to go: the same command with --no-guard');
});
