import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import type { RecordName } from '../../src/model/record.ts';
import { KnownState } from '../../src/state/known-state.ts';
import { type Outcome, stateUpdateOf } from '../../src/state/state-update.ts';
import { shown } from '../support/shown.ts';

const NAME: RecordName = { account: 'current', kind: 'project', id: '42' };
const URL = '/accounts/current/projects/42';

function project(...ids: number[]): JsonObject {
  const environments = ids.map((id) => ({ id, name: `e${id}`, isEnabled: false }));
  return { name: 'Checkout', languages: ['GO'], environments };
}

function outcome(status: number, record?: JsonObject): Outcome {
  return { status, headers: [], shown: record && shown(record) };
}

function setUp(...ids: number[]) {
  const state = new KnownState();
  if (ids.length > 0) state.send(NAME, project(...ids)).accepted();
  const patch = (body: JsonValue | undefined, method = 'PATCH', headers: string[] = []) =>
    stateUpdateOf(state, NAME, { method, url: URL, headers }, true, true, body);
  const ask = (method: string, url = URL, headers: string[] = []) =>
    stateUpdateOf(state, NAME, { method, url, headers }, false, false, undefined);
  const known = () => {
    const { record, isWhole } = state.of(NAME) ?? {};
    if (!record) return undefined;
    const list = (record.environments as JsonObject[]).map(({ id }) => id);
    return `${list.join()}${isWhole ? '' : ' and perhaps more'}`;
  };
  return { state, patch, ask, known };
}

describe('a PATCH', () => {
  it.each([
    [200, '3'],
    [204, '3'],
    [202, '3'],
    [400, '1,2'],
    [404, '1,2'],
    [409, '1,2'],
    [499, '1,2'],
    [500, '1,2,3'],
    [503, '1,2,3'],
    [302, '1,2,3'],
    [100, '1,2,3'],
    [0, '1,2,3'],
  ])('that was answered with %i', (status, told) => {
    const { patch, known } = setUp(1, 2);
    patch(project(3)).answered(outcome(status));
    expect(known()).toBe(told);
  });

  it.each(['refused', 'timeout', 'reset', 'truncated', undefined] as const)(
    'that was not answered: %s',
    (kind) => {
      const { patch, known } = setUp(1, 2);
      patch(project(3)).failed(kind);
      expect(known()).toBe(kind === 'refused' ? '1,2' : '1,2,3');
    },
  );

  it('was made what its answer says', () => {
    const { patch, known } = setUp(1, 2);
    const update = patch(project(3));
    expect(update.wantsBody(200)).toBe(true);
    expect(update.wantsBody(500)).toBe(false);
    update.answered(outcome(200, project(3, 4)));
    expect(known()).toBe('3,4');
  });

  it('is made what was sent where its answer shows no record, and nothing by one that refuses it', () => {
    const { patch, known } = setUp(1);
    patch(project(2)).answered(outcome(200));
    expect(known()).toBe('2');
    patch(project(3)).answered(outcome(409, project(8)));
    expect(known()).toBe('2');
  });

  it('that nobody has read leaves a doubt', () => {
    const { patch, known } = setUp(1);
    patch(undefined, 'PUT').answered(outcome(200));
    expect(known()).toBe('1 and perhaps more');
  });
});

describe('what is read', () => {
  it('is learnt from a 2xx answer', () => {
    const { ask, known } = setUp();
    for (const status of [404, 500, 304, 206]) {
      const update = ask('GET');
      expect(update.wantsBody(status)).toBe(false);
      update.answered(outcome(status, project(9)));
    }
    ask('GET').failed('reset');
    ask('GET').answered(outcome(200));
    expect(known()).toBeUndefined();
    ask('GET').answered(outcome(200, project(1)));
    expect(known()).toBe('1');
  });

  it('is a part where a query asks for one', () => {
    const { ask, known } = setUp();
    ask('GET', `${URL}?fields=environments`).answered(outcome(200, project(1)));
    expect(known()).toBe('1 and perhaps more');
  });

  it('is nothing with HEAD', () => {
    expect(setUp().ask('HEAD').wantsBody(200)).toBe(false);
  });
});

it('a DELETE that was accepted forgets the record, no other does', () => {
  const { ask, known } = setUp(1);
  for (const status of [404, 409, 500]) ask('DELETE').answered(outcome(status));
  ask('DELETE').failed('timeout');
  expect(known()).toBe('1');
  expect(ask('DELETE').wantsBody(200)).toBe(false);
  ask('DELETE').answered(outcome(204));
  expect(known()).toBeUndefined();
});

it.each(['X-HTTP-Method-Override', 'x-http-method', 'X_Method_Override', 'X-Original-URL', 'X-Rewrite-URL'])(
  'a request with %s may be another one: nothing is gone for it',
  (name) => {
    const headers = [name, 'OPTIONS'];
    const { ask, patch, known } = setUp(1, 2);
    ask('DELETE', URL, headers).answered(outcome(204));
    ask('GET', URL, headers).answered(outcome(200, project(3)));
    expect(known()).toBe('1,2,3 and perhaps more');
    patch(project(4), 'PATCH', headers).answered(outcome(200));
    patch(project(5), 'PUT', headers).answered(outcome(200));
    expect(known()).toBe('1,2,3,4,5 and perhaps more');
  },
);
