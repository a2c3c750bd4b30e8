import { expect, it } from 'vitest';
import { BY_FLAGS, refusedTexts } from '../../../src/commands/exec/refused-text.ts';
import { nameMatcher } from '../../../src/model/name-pattern.ts';
import type { Patchgate } from '../../../src/patchgate.ts';

type Effects = NonNullable<
  NonNullable<ReturnType<Patchgate['exchanges']> extends Iterable<infer T> ? T : never>['verdict']
>['effects'];

/** What is said of a PATCH that deletes environments of these names. */
function saidOf(names: string[], effectsOmitted?: number): string | undefined {
  const effects: Effects = names.map((name, id) => ({ kind: 'environment-deleted', id, name }));
  const gate: Pick<Patchgate, 'exchanges'> = {
    exchanges: () => [
      {
        ...{ id: 1, startedAt: '2026-11-20T12:00:00.000Z', durationMs: 1, answeredBy: 'gate' as const },
        request: { method: 'PATCH', url: '/x', headers: {} },
        response: { status: 409, headers: {} },
        verdict: {
          ...{ outcome: 'block', status: 409, problem: 'destructive-change', findings: [], omitted: 0 },
          effects,
          ...(effectsOmitted && { effectsOmitted }),
        },
      },
    ],
  };
  const [text] = refusedTexts(gate, BY_FLAGS);
  return text?.split('\n')[1];
}

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
