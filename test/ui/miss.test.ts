import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import type { Difference } from '../../src/recordings/matching/shown-value.ts';
import type { ShownExchange } from '../../src/server/show-exchange.ts';
import { missOf, recordedBody } from '../../src/ui/miss.ts';

describe('the recorded body', () => {
  const at = (place: string, recorded?: string, sent?: string): Difference => ({
    place,
    ...(recorded !== undefined && { recorded }),
    ...(sent !== undefined && { sent }),
  });
  it.each<[string, JsonValue, Difference[], JsonValue | undefined]>([
    ['no difference', { a: 1 }, [], { a: 1 }],
    [
      'another value',
      { a: 1, b: [1] },
      [at('/a', '2', '1'), at('/b/0', '{"x":1}', '1')],
      { a: 2, b: [{ x: 1 }] },
    ],
    ['members', { a: 1 }, [at('/b', '"x"'), at('/a', undefined, '1')], { b: 'x' }],
    ['items that were not recorded', [1, 2, 3], [at('/1', undefined, '2'), at('/2', undefined, '3')], [1]],
    ['items that were not sent', [1], [at('/1', '2'), at('/2', '3')], [1, 2, 3]],
    ['no item of a list', [1], [at('/x', '2')], undefined],
    ['a secret', { a: 1 }, [at('/a', '[redacted]', '1')], { a: '[redacted]' }],
    ['a part of the query', { a: 1 }, [at('query/a', '"1"', '"2"')], { a: 1 }],
    ['a value that was cut', { a: 1 }, [at('/a', '"xxx…', '1')], undefined],
    ['a body that is no JSON', { a: 1 }, [at('body', 'x', 'y')], undefined],
    ['a list without order', [1, 2, 3], [at('/0', undefined, '1'), at('/1', '9')], undefined],
    ['a place that is not there', {}, [at('/a/b', '1')], undefined],
    ['a prototype', {}, [at('/__proto__', '1')], undefined],
  ])('differs by %s', (_, sent, differences, recorded) => {
    const before = structuredClone(sent);
    expect(recordedBody(sent, differences)).toEqual(recorded);
    expect(sent).toEqual(before);
  });
});

describe('a miss', () => {
  const answered = (json: JsonValue) =>
    ({ response: { status: 501, headers: {}, body: { json, size: 1 } } }) as unknown as ShownExchange;

  it('is known by the type of the problem', () => {
    const problem = {
      type: 'urn:patchgate:problem:no-recording',
      detail: 'x',
      recording: 'r',
      reason: 'differs',
    };
    expect(missOf(answered(problem))).toEqual(problem);
    expect(missOf(answered({ type: 'urn:patchgate:problem:not-found' }))).toBeUndefined();
    expect(missOf(answered([]))).toBeUndefined();
  });
});
