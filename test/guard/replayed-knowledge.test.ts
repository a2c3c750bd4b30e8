import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { earliestState, replayedKnowledge } from '../../src/guard/replayed-knowledge.ts';
import type { JsonValue } from '../../src/json/json.ts';
import type { KeptBody } from '../../src/model/exchange.ts';
import type { RecordKind, RecordName } from '../../src/model/record.ts';
import { redactionOf } from '../../src/recordings/redaction/redaction.ts';
import { locationOf } from '../../src/recordings/store/location.ts';
import type { RecordingStore } from '../../src/recordings/store.ts';
import { openStore } from '../../src/recordings/store.ts';
import type { Session } from '../../src/upstreams/session.ts';
import { type ExchangeParts, exchange, PROJECT_PATH } from '../support/exchanges.ts';
import { recordAll } from '../support/recordings.ts';
import { shown } from '../support/shown.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NAME: RecordName = { account: 'current', kind: 'project', id: '42' };
const ONE: Session = { id: 1, name: 'one' };
const TWO: Session = { id: 2, name: 'two' };

const project = (...ids: number[]) => ({
  name: 'Checkout',
  languages: ['GO'],
  environments: ids.map((id) => ({ id, name: `e${id}`, isEnabled: false })),
});
const read = (...ids: number[]): ExchangeParts => ({ method: 'GET', answer: { json: project(...ids) } });

interface Options {
  kinds?: RecordKind[];
}

/** What is known of a recording; with how often its files were looked at. */
async function knowing(parts: readonly ExchangeParts[], { kinds = ['project'] }: Options = {}) {
  const folder = temporaryFolder();
  await recordAll(folder, 'demo', parts.map(exchange));
  const store = await openStore(folder, 'demo');
  const counted = { looks: 0 };
  const counting: RecordingStore = Object.assign(Object.create(store) as RecordingStore, {
    exchanges: (method: string, path: string) => {
      counted.looks++;
      return store.exchanges(method, path);
    },
  });
  const redaction = redactionOf({ redactPatterns: ['hidden'] });
  const knowledge = replayedKnowledge(counting, { redaction, kinds });
  const find = (session: Session, url = PROJECT_PATH, name = NAME) =>
    knowledge.find?.(name, {
      method: 'PATCH',
      url,
      headers: [],
      stream: Readable.from([]),
      cameAt: 0,
      session,
    });
  const idsIn = (session: Session, name = NAME) => {
    const known = knowledge.of(name, session);
    return known && (known.record.environments as { id: number }[]).map(({ id }) => id);
  };
  return { knowledge, find, idsIn, counted, folder };
}

describe('what is known of a recording', () => {
  it('is what it knew first, in each session by itself', async () => {
    const { knowledge, find, idsIn } = await knowing([read(1, 2, 3), read(1)]);
    expect(knowledge.of(NAME, ONE)).toBeUndefined();
    await find(ONE);
    expect(knowledge.of(NAME, ONE)).toEqual({ record: project(1, 2, 3), isWhole: true });
    expect(knowledge.of(NAME, TWO)).toBeUndefined();
    await find(TWO, `${PROJECT_PATH}?x=1`);
    knowledge.learner.stateOf(ONE).send(NAME, project(1)).accepted();
    expect([idsIn(ONE), idsIn(TWO)]).toEqual([[1], [1, 2, 3]]);
  });

  it('ends with the session', async () => {
    const { knowledge, find, idsIn } = await knowing([read(1, 2, 3)]);
    await find(ONE);
    knowledge.learner.stateOf(ONE).send(NAME, project(1)).accepted();
    knowledge.end?.(ONE);
    expect(knowledge.of(NAME, ONE)).toBeUndefined();
    await find(ONE);
    expect(idsIn(ONE)).toEqual([1, 2, 3]);
  });

  it('is what was served, where that was first', async () => {
    const { knowledge, find, idsIn } = await knowing([read(1, 2, 3)]);
    const looking = find(ONE);
    knowledge.learner.stateOf(ONE).read(NAME, false)(shown(project(1)));
    await looking;
    expect(idsIn(ONE)).toEqual([1]);
  });

  it('is not asked of the recording again', async () => {
    const { knowledge, find, counted } = await knowing([read(1, 2, 3)]);
    await Promise.all([find(ONE), find(ONE)]);
    expect(counted.looks).toBe(2);
    knowledge.learner.stateOf(ONE).forget(NAME);
    await find(ONE);
    expect(knowledge.of(NAME, ONE)).toBeUndefined();
    const unknown = { ...NAME, id: '43' };
    for (let i = 0; i < 3; i++) await find(ONE, PROJECT_PATH.replace('42', '43'), unknown);
    expect(counted.looks).toBe(4);
  });

  it('is never forgotten, however much is asked for', { tags: 'slow' }, async () => {
    const { find, idsIn, counted } = await knowing([read(1)]);
    const at = (id: number) => find(ONE, PROJECT_PATH.replace('42', `${id}`), { ...NAME, id: `${id}` });
    for (let id = 42; id <= 2000; id++) await at(id);
    const { looks } = counted;
    await at(42);
    await at(1000);
    expect(counted.looks).toBe(looks);
    expect(idsIn(ONE)).toEqual([1]);
  });

  it('is looked for under the paths that the recording has', async () => {
    const path = '/hidden/accounts/current/projects/42';
    const { find, idsIn } = await knowing([{ ...read(7), path: path.replace('hidden', '[redacted]') }]);
    await find(ONE, path);
    expect(idsIn(ONE)).toEqual([7]);
  });

  it('is nothing where the recording is broken: the replay tells that', async () => {
    const { knowledge, find, folder } = await knowing([read(1)]);
    writeFileSync(join(folder, 'demo', locationOf('GET', PROJECT_PATH)), '{');
    await find(ONE);
    expect(knowledge.of(NAME, ONE)).toBeUndefined();
  });

  it('is of the kinds alone of which something is learnt', async () => {
    const { knowledge, find, counted } = await knowing([read(1)], { kinds: ['feature'] });
    await find(ONE);
    expect(counted.looks).toBe(0);
    expect(knowledge.learner.kinds).toEqual(['feature']);
    expect(knowledge.learner.counts('recording')).toBe(true);
  });
});

describe('the workspace that current means', () => {
  const under = (account: string) => PROJECT_PATH.replace('current', account);

  it('has one name where nobody says which it is', async () => {
    const { find, idsIn } = await knowing([read(1, 2)]);
    await find(ONE, under('42'), { ...NAME, account: '42' });
    expect(idsIn(ONE, { ...NAME, account: '42' })).toBeUndefined();
  });
});

const called = (name: string) => ({
  name,
  languages: ['GO'],
  environments: [{ id: 1, name: 'Production', isEnabled: true }],
});
const json = (value: JsonValue): KeptBody => ({ json: value });
const whole = (name: string) => ({ record: called(name), isWhole: true });

/** Each exchange a second after the one before, unless it says when. */
async function earliest(
  parts: readonly ExchangeParts[],
  name: RecordName = NAME,
  paths: readonly string[] = [PROJECT_PATH],
  session = '',
) {
  const folder = temporaryFolder();
  const at = (i: number) => `2026-11-20T12:00:0${i}.000Z`;
  await recordAll(
    folder,
    'demo',
    parts.map((one, i) => exchange({ recordedAt: at(i), ...one })),
  );
  const store = await openStore(folder, 'demo');
  try {
    return earliestState(store, name, session, paths);
  } finally {
    await store.close();
  }
}

describe('the earliest state that a recording shows', () => {
  it('is what the first reading was answered with, bare or wrapped', async () => {
    const read = (name: string) => ({ method: 'GET', answer: json({ _data: { ...called(name), id: 42 } }) });
    expect(await earliest([read('a'), { body: json(called('b')) }, read('b')])).toEqual(whole('a'));
  });

  it('is that of the session, else that of the default one, before all others', async () => {
    const read = (name: string, session?: string) => ({
      ...{ method: 'GET', answer: json(called(name)) },
      ...(session && { session }),
    });
    const missed = { method: 'GET', status: 404, session: 'two' };
    const parts = [read('a', 'one'), missed, read('b', 'two'), { body: json(called('c')) }, read('d', 'two')];
    const seenBy = (session: string, all: readonly ExchangeParts[] = parts) =>
      earliest(all, NAME, [PROJECT_PATH], session);
    expect(await seenBy('one')).toEqual(whole('a'));
    expect(await seenBy('two')).toEqual(whole('b'));
    expect(await seenBy('')).toEqual(whole('c'));
    expect(await seenBy('other')).toEqual(whole('c'));
    expect(await seenBy('other', [missed, read('b', 'two')])).toEqual(whole('b'));
  });

  it('is found however much others recorded before', async () => {
    const recordedAt = '2026-11-20T12:00:00.000Z';
    const others = Array.from({ length: 1001 }, () => ({
      method: 'GET',
      status: 404,
      session: 'one',
      recordedAt,
    }));
    const own = { method: 'GET', answer: json(called('a')), session: 'two', recordedAt };
    expect(await earliest([...others, own], NAME, [PROJECT_PATH], 'two')).toEqual(whole('a'));
  });

  it('is read from an answer that is kept in base64, too', async () => {
    const base64 = Buffer.from(JSON.stringify(called('a'))).toString('base64');
    expect(await earliest([{ method: 'GET', answer: { base64 } }, { body: json(called('b')) }])).toEqual(
      whole('a'),
    );
  });

  it('is what the first accepted PATCH made of it, where nobody read it before', async () => {
    const read = { method: 'GET', answer: json(called('b')) };
    expect(await earliest([{ body: json(called('a')) }, read])).toEqual(whole('a'));
    const answered = { body: json(called('a')), answer: json({ ...called('a'), name: 'as answered' }) };
    expect(await earliest([answered, read])).toEqual(whole('as answered'));
  });

  it('is the read one where both came in the same millisecond', async () => {
    const recordedAt = '2026-11-20T12:00:00.000Z';
    const parts = [
      { body: json(called('b')), recordedAt },
      { method: 'GET', answer: json(called('a')), recordedAt },
    ];
    expect(await earliest(parts)).toEqual(whole('a'));
  });

  it.each<[string, ExchangeParts]>([
    ['was refused', { body: json(called('a')), status: 422 }],
    ['failed', { body: json(called('a')), status: 503 }],
    ['is no whole project', { body: json({ name: 'a' }) }],
    ['is cut', { method: 'GET', answer: json(called('a')), status: 206 }],
    ['is of another project', { method: 'GET', answer: json({ ...called('a'), id: 43 }) }],
    ['is no JSON', { method: 'GET', answer: { text: 'a' } }],
    ['is a list', { method: 'GET', answer: json([called('a')]) }],
  ])('is not what %s', async (_, parts) => {
    expect(await earliest([parts])).toBeUndefined();
    expect(await earliest([parts, { body: json(called('b')) }])).toEqual(whole('b'));
  });

  it('is in order of the file where that was recorded anew in part', async () => {
    const parts = [
      { body: json({ name: 'x' }), recordedAt: '2026-11-20T13:00:00.000Z' },
      { body: json(called('b')), recordedAt: '2026-11-20T12:00:00.000Z' },
      { method: 'GET', answer: json(called('a')), recordedAt: '2026-11-20T12:30:00.000Z' },
    ];
    expect(await earliest(parts)).toEqual(whole('a'));
  });

  it('may leave something out where a query may have asked for a part', async () => {
    const read = { method: 'GET', query: 'only=enabled', answer: json(called('a')) };
    expect(await earliest([read])).toEqual({ ...whole('a'), isWhole: false });
    expect(await earliest([{ query: 'dry=0', body: json(called('a')) }])).toEqual(whole('a'));
  });

  it('is looked for under all paths', async () => {
    const other = PROJECT_PATH.replace('current', '196');
    const parts = [{ path: other, body: json(called('a')) }, { body: json(called('b')) }];
    expect(await earliest(parts, NAME, [PROJECT_PATH, other])).toEqual(whole('a'));
    expect(await earliest(parts, NAME)).toEqual(whole('b'));
  });

  it('of a feature is never what a PATCH sent: it may keep the rest', async () => {
    const path = '/api/v2/accounts/current/features/7';
    const feature = { name: 'f', variables: [{ id: 1, variableName: 'v', dataType: 'string' }] };
    const name: RecordName = { account: 'current', kind: 'feature', id: '7' };
    expect(await earliest([{ path, body: json(feature) }], name, [path])).toBeUndefined();
    const answered = { path, body: json({ name: 'f' }), answer: json(feature) };
    expect(await earliest([answered], name, [path])).toEqual({ record: feature, isWhole: true });
  });
});
