import { describe, expect, it } from 'vitest';
import { headOf, recordedUpdate, type SentExchange } from '../../src/guard/recorded-history.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { Exchange, FailureKind, KeptBody } from '../../src/model/exchange.ts';
import type { RecordKind, RecordName } from '../../src/model/record.ts';
import { KnownState } from '../../src/state/known-state.ts';
import { exchange } from '../support/exchanges.ts';
import { gate } from '../support/gate.ts';

const GATE = gate();
const PROJECT: RecordName = { base: '/api/v2', account: 'current', kind: 'project', id: '42' };
const FEATURE: RecordName = { base: '', account: 'current', kind: 'feature', id: '7' };
const FEATURE_PATH = '/accounts/current/features/7';

function project(...ids: number[]): JsonObject {
  const environments = ids.map((id) => ({ id, name: `env ${id}`, isEnabled: false }));
  return { name: 'Checkout', languages: ['GO'], environments };
}

const json = (value: JsonObject): { json: JsonObject } => ({ json: value });

/** What is known once these were learnt from. */
function learnt(
  exchanges: readonly SentExchange[],
  learn: readonly RecordKind[] = ['project'],
  name = PROJECT,
) {
  const state = new KnownState();
  for (const one of exchanges) recordedUpdate(GATE, learn, one)?.apply(state);
  return state.of(name);
}

/** Ids of the environments that are known, and whether these are all. */
function environments(...exchanges: SentExchange[]) {
  const known = learnt(exchanges);
  if (!known) return undefined;
  const ids = (known.record.environments as { id: number }[]).map(({ id }) => id);
  return { ids, isWhole: known.isWhole };
}

function patch(body: KeptBody, status = 200): Exchange {
  return exchange({ body, status });
}

function failed(body: KeptBody, kind: FailureKind, status?: number): SentExchange {
  const { response, ...rest } = patch(body, status);
  return { ...rest, ...(status !== undefined && { response }), failure: { kind } };
}

const BEFORE = patch(json(project(1, 2)));
const ONLY_2 = { ids: [2], isWhole: true };
const UNTOUCHED = { ids: [1, 2], isWhole: true };
const EITHER = { ids: [1, 2, 3], isWhole: true };

describe('a PATCH', () => {
  it('that was accepted leaves what it sent', () => {
    expect(environments(BEFORE, patch(json(project(2))))).toEqual(ONLY_2);
    expect(environments(BEFORE, patch(json(project(2)), 204))).toEqual(ONLY_2);
  });

  it('says the same however its body is kept', () => {
    const text = JSON.stringify(project(2));
    expect(environments(BEFORE, patch({ text: text.replaceAll(',', ', ') }))).toEqual(ONLY_2);
    expect(environments(BEFORE, patch({ json: project(2), indent: 2, newline: true }))).toEqual(ONLY_2);
    expect(environments(BEFORE, patch({ text: `{"name":"twice",${text.slice(1)}` }))).toEqual(ONLY_2);
    const base64 = Buffer.from(text).toString('base64');
    expect(environments(BEFORE, patch({ base64 }))).toEqual(ONLY_2);
    expect(environments(BEFORE, exchange({ body: json(project(1)), answer: { base64 } }))).toEqual(ONLY_2);
  });

  it.each([400, 404, 409, 422])('that was refused with %i says nothing', (status) => {
    expect(environments(BEFORE, patch(json(project(2)), status))).toEqual(UNTOUCHED);
  });

  it.each([500, 503, 302])('that was answered with %i may have been applied, or not', (status) => {
    expect(environments(BEFORE, patch(json(project(2, 3)), status))).toEqual(EITHER);
  });

  it.each(['timeout', 'reset', 'truncated'] as const)('that ended in %s may have been applied', (kind) => {
    expect(environments(BEFORE, failed(json(project(2, 3)), kind))).toEqual(EITHER);
  });

  it('whose answer broke off may have been applied, whatever its status says', () => {
    expect(environments(BEFORE, failed(json(project(2, 3)), 'truncated', 200))).toEqual(EITHER);
  });

  it('that found no connection says nothing', () => {
    expect(environments(BEFORE, failed(json(project(2)), 'refused'))).toEqual(UNTOUCHED);
  });

  it('whose answer shows the project: the answer counts', () => {
    const answered = exchange({ body: json(project(2)), answer: json({ _data: project(2, 9) }) });
    expect(environments(BEFORE, answered)).toEqual({ ids: [2, 9], isWhole: true });
  });

  it('without environments does not delete what is known, though nobody knows what became of it', () => {
    const { environments: _, ...partial } = project();
    expect(environments(BEFORE, patch(json(partial)))?.ids).toEqual([1, 2]);
  });

  it('with an environment that nobody can tell may have deleted any of them', () => {
    const { environments: _, ...rest } = project();
    const unclear = json({ ...rest, environments: [{ id: 3, name: 'env 3' }, { name: 'Production' }] });
    expect(environments(BEFORE, patch(unclear))).toEqual({ ids: [1, 2, 3], isWhole: false });
  });

  it.each<[string, KeptBody]>([
    ['in base64', { base64: Buffer.from('\xff{}', 'latin1').toString('base64') }],
    ['no JSON', { text: '{"name":' }],
    ['a text that readers understand differently', { text: '{"environments": [], "environments": [1]}' }],
  ])('whose body is %s makes uncertain what is known', (_, body) => {
    expect(environments(BEFORE, patch(body))).toEqual({ ids: [1, 2], isWhole: false });
  });

  it('whose body was too long to keep makes uncertain what is known', () => {
    const { request, ...rest } = patch(json({}));
    const omitted: Exchange = { ...rest, request: { ...request, body: { omitted: 9_000_000 } } };
    expect(environments(BEFORE, omitted)).toEqual({ ids: [1, 2], isWhole: false });
  });

  it('is told by the gate: by another method, under another name of the same record', () => {
    const override = exchange({ method: 'POST', query: '_method=PATCH', body: json(project(2)) });
    expect(environments(BEFORE, override)).toEqual(ONLY_2);
    const header = { 'content-type': 'application/json', 'x-http-method-override': 'PATCH' };
    const byHeader = exchange({ method: 'PUT', requestHeaders: header, body: json(project(2)) });
    expect(environments(BEFORE, byHeader)).toEqual(ONLY_2);
    const slash = exchange({ path: '/api/v2/accounts/current/projects/42/', body: json(project(2)) });
    expect(environments(BEFORE, slash)).toEqual(ONLY_2);
    const inBody = exchange({ method: 'POST', body: json({ ...project(2), _method: 'PATCH' }) });
    expect(environments(BEFORE, inBody)).toEqual(ONLY_2);
  });

  it('below another path is nothing to this one, unless that may only be cut off', () => {
    const other = exchange({ path: '/other/base/accounts/current/projects/42', body: json(project(9)) });
    expect(environments(BEFORE, other)).toEqual(UNTOUCHED);
    const cut = exchange({ path: '/accounts/current/projects/42', body: json(project(9)) });
    expect(environments(BEFORE, cut)?.ids).toContain(9);
  });

  it('of another project is nothing to this one', () => {
    const other = exchange({ path: '/accounts/current/projects/43', body: json(project(2)) });
    expect(environments(BEFORE, other)).toEqual(UNTOUCHED);
  });
});

describe('another request', () => {
  it('GET: what it shows counts', () => {
    const get = exchange({ method: 'GET', answer: json(project(1, 2, 7)) });
    expect(environments(BEFORE, get)).toEqual({ ids: [1, 2, 7], isWhole: true });
    expect(environments(get)).toEqual({ ids: [1, 2, 7], isWhole: true });
  });

  it('GET: an error, a list, another project, half an answer and a part of it do not', () => {
    const shown = json(project(7));
    const others = [
      exchange({ method: 'GET', answer: shown, status: 404 }),
      exchange({ method: 'GET', answer: { json: [project(7)] } }),
      exchange({ method: 'GET', answer: json({ ...project(7), id: 43 }) }),
      { ...exchange({ method: 'GET', answer: shown }), failure: { kind: 'truncated' as const } },
    ];
    for (const other of others) expect(environments(BEFORE, other)).toEqual(UNTOUCHED);
    const part = exchange({ method: 'GET', query: 'fields=name', answer: shown });
    expect(environments(BEFORE, part)?.ids).toEqual([1, 2, 7]);
  });

  it('DELETE: the record is forgotten, where the service deleted it', () => {
    expect(environments(BEFORE, exchange({ method: 'DELETE', status: 204 }))).toBeUndefined();
    expect(environments(BEFORE, exchange({ method: 'DELETE', status: 403 }))).toEqual(UNTOUCHED);
  });

  it('PUT and POST: nobody knows what they change', () => {
    for (const method of ['PUT', 'POST'])
      expect(environments(BEFORE, exchange({ method, body: json(project(2)) }))).toEqual({
        ids: [1, 2],
        isWhole: false,
      });
  });

  it('about no record says nothing', () => {
    const list = exchange({ method: 'GET', path: '/accounts/current/projects', answer: json(project(1)) });
    expect(recordedUpdate(GATE, ['project'], list)).toBeUndefined();
    const unread = exchange({ method: 'GET', answer: { text: 'not found' } });
    expect(recordedUpdate(GATE, ['project'], unread)).toBeUndefined();
  });
});

describe('a flag', () => {
  const flag = { name: 'New checkout', variables: [{ id: 3, variableName: 'colour', dataType: 'string' }] };
  const get = exchange({ method: 'GET', path: FEATURE_PATH, answer: json(flag) });

  it('is learnt only where asked for', () => {
    expect(learnt([get], ['project', 'feature'], FEATURE)?.record).toMatchObject(flag);
    expect(learnt([get], ['project'], FEATURE)).toBeUndefined();
  });

  it('that is not learnt is seen to change all the same', () => {
    const change = exchange({ path: FEATURE_PATH, body: json({ variables: [] }) });
    const state = new KnownState();
    state.restore(FEATURE, { record: flag, isWhole: true });
    recordedUpdate(GATE, ['project'], change)?.apply(state);
    expect(state.of(FEATURE)).toBeUndefined();
  });
});

it('a update names the record as the path does, and says whether it is judged', () => {
  const under77 = exchange({ path: '/accounts/077/projects/42', body: json(project(1)) });
  expect(recordedUpdate(GATE, ['project'], under77)).toMatchObject({
    name: { base: '', account: '77', kind: 'project', id: '42' },
    isJudged: true,
  });
  expect(recordedUpdate(GATE, ['project'], exchange({ method: 'DELETE' }))).toMatchObject({
    name: PROJECT,
    isJudged: false,
  });
});

it('a head says nothing of bytes that a recording does not keep', () => {
  const headers = {
    'content-encoding': 'gzip',
    'content-length': '9',
    accept: ['text/html', 'application/json'],
  };
  const { request } = exchange({ path: '/a', query: 'b=1', requestHeaders: headers });
  expect(headOf(request)).toEqual({
    method: 'PATCH',
    url: '/a?b=1',
    headers: ['accept', 'text/html', 'accept', 'application/json'],
  });
});
