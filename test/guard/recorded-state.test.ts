import { describe, expect, it } from 'vitest';
import { earliestState } from '../../src/guard/recorded-state.ts';
import type { JsonValue } from '../../src/json/json.ts';
import type { InlineBody } from '../../src/model/exchange.ts';
import type { RecordName } from '../../src/model/record.ts';
import { openStore } from '../../src/recordings/store/open-store.ts';
import { type ExchangeParts, exchange, PROJECT_PATH } from '../support/exchanges.ts';
import { recordAll } from '../support/recordings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NAME: RecordName = { account: 'current', kind: 'project', id: '42' };

const project = (name: string) => ({
  name,
  languages: ['GO'],
  environments: [{ id: 1, name: 'Production', isEnabled: true }],
});
const json = (value: JsonValue): InlineBody => ({ json: value });
const whole = (name: string) => ({ record: project(name), isWhole: true });

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
    const read = (name: string) => ({ method: 'GET', answer: json({ _data: { ...project(name), id: 42 } }) });
    expect(await earliest([read('a'), { body: json(project('b')) }, read('b')])).toEqual(whole('a'));
  });

  it('is that of the session, else that of the default one, before all others', async () => {
    const read = (name: string, session?: string) => ({
      ...{ method: 'GET', answer: json(project(name)) },
      ...(session && { session }),
    });
    const missed = { method: 'GET', status: 404, session: 'two' };
    const parts = [
      read('a', 'one'),
      missed,
      read('b', 'two'),
      { body: json(project('c')) },
      read('d', 'two'),
    ];
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
    const own = { method: 'GET', answer: json(project('a')), session: 'two', recordedAt };
    expect(await earliest([...others, own], NAME, [PROJECT_PATH], 'two')).toEqual(whole('a'));
  });

  it('is read from an answer that is kept in base64, too', async () => {
    const base64 = Buffer.from(JSON.stringify(project('a'))).toString('base64');
    expect(await earliest([{ method: 'GET', answer: { base64 } }, { body: json(project('b')) }])).toEqual(
      whole('a'),
    );
  });

  it('is what the first accepted PATCH made of it, where nobody read it before', async () => {
    const read = { method: 'GET', answer: json(project('b')) };
    expect(await earliest([{ body: json(project('a')) }, read])).toEqual(whole('a'));
    const answered = { body: json(project('a')), answer: json({ ...project('a'), name: 'as answered' }) };
    expect(await earliest([answered, read])).toEqual(whole('as answered'));
  });

  it('is the read one where both came in the same millisecond', async () => {
    const recordedAt = '2026-11-20T12:00:00.000Z';
    const parts = [
      { body: json(project('b')), recordedAt },
      { method: 'GET', answer: json(project('a')), recordedAt },
    ];
    expect(await earliest(parts)).toEqual(whole('a'));
  });

  it.each<[string, ExchangeParts]>([
    ['was refused', { body: json(project('a')), status: 422 }],
    ['failed', { body: json(project('a')), status: 503 }],
    ['is no whole project', { body: json({ name: 'a' }) }],
    ['is cut', { method: 'GET', answer: json(project('a')), status: 206 }],
    ['is of another project', { method: 'GET', answer: json({ ...project('a'), id: 43 }) }],
    ['is no JSON', { method: 'GET', answer: { text: 'a' } }],
    ['is a list', { method: 'GET', answer: json([project('a')]) }],
  ])('is not what %s', async (_, parts) => {
    expect(await earliest([parts])).toBeUndefined();
    expect(await earliest([parts, { body: json(project('b')) }])).toEqual(whole('b'));
  });

  it('is in order of the file where that was recorded anew in part', async () => {
    const parts = [
      { body: json({ name: 'x' }), recordedAt: '2026-11-20T13:00:00.000Z' },
      { body: json(project('b')), recordedAt: '2026-11-20T12:00:00.000Z' },
      { method: 'GET', answer: json(project('a')), recordedAt: '2026-11-20T12:30:00.000Z' },
    ];
    expect(await earliest(parts)).toEqual(whole('a'));
  });

  it('may leave something out where a query may have asked for a part', async () => {
    const read = { method: 'GET', query: 'only=enabled', answer: json(project('a')) };
    expect(await earliest([read])).toEqual({ ...whole('a'), isWhole: false });
    expect(await earliest([{ query: 'dry=0', body: json(project('a')) }])).toEqual(whole('a'));
  });

  it('is looked for under all paths', async () => {
    const other = PROJECT_PATH.replace('current', '196');
    const parts = [{ path: other, body: json(project('a')) }, { body: json(project('b')) }];
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
