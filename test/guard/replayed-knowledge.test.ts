import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { replayedKnowledge } from '../../src/guard/replayed-knowledge.ts';
import type { RecordKind, RecordName } from '../../src/model/record.ts';
import { redactionOf } from '../../src/recordings/redaction/redaction.ts';
import { locationOf } from '../../src/recordings/store/location.ts';
import { openStore } from '../../src/recordings/store/open-store.ts';
import type { RecordingStore } from '../../src/recordings/store/recording-store.ts';
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
  account?: string;
  kinds?: RecordKind[];
}

/** What is known of a recording; with how often its files were looked at. */
async function knowing(parts: readonly ExchangeParts[], { account, kinds = ['project'] }: Options = {}) {
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
  const knowledge = replayedKnowledge(counting, { redaction, account, kinds });
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

  it('is never forgotten, however much is asked for', async () => {
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

  it.each([
    ['current', '42'],
    ['42', 'current'],
  ])('is looked for by its other name: %s as %s', async (account, recorded) => {
    const parts = ['', '/'].map((end, i) => ({ ...read(i), path: under(recorded) + end }));
    const { find, idsIn } = await knowing(parts, { account: '42' });
    await find(ONE, under(account), { ...NAME, account });
    await find(TWO, `${under(account)}/`, { ...NAME, account });
    expect([ONE, TWO].map((session) => idsIn(session, { ...NAME, account }))).toEqual([[0], [1]]);
  });

  it('is no other one', async () => {
    const { find, idsIn } = await knowing([read(1, 2)], { account: '42' });
    await find(ONE, under('43'), { ...NAME, account: '43' });
    expect(idsIn(ONE, { ...NAME, account: '43' })).toBeUndefined();
  });

  it('has one name where nobody says which it is', async () => {
    const { find, idsIn } = await knowing([read(1, 2)]);
    await find(ONE, under('42'), { ...NAME, account: '42' });
    expect(idsIn(ONE, { ...NAME, account: '42' })).toBeUndefined();
  });
});
