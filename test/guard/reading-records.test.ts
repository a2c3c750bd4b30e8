import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import { readingRecords } from '../../src/guard/reading-records.ts';
import type { RecordKind, RecordName } from '../../src/model/record.ts';
import { redactionOf } from '../../src/recordings/redaction/redaction.ts';
import { KnownState } from '../../src/state/known-state.ts';
import type { Upstream } from '../../src/upstreams/upstream.ts';
import { PROJECT_PATH } from '../support/exchanges.ts';

const NAME: RecordName = { account: 'current', kind: 'project', id: '42' };
const PROJECT = {
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'Production', isEnabled: true }],
};

/** @param answers a status, a record, or why there is none; one for each reading */
function reading(
  answers: readonly (number | object | string)[],
  kinds: RecordKind[] = ['project'],
  meanwhile: (state: KnownState) => void = () => undefined,
) {
  const left = [...answers];
  const urls: string[] = [];
  const target: Upstream = {
    handle({ url }, sink) {
      urls.push(url);
      meanwhile(state);
      const answer = left.shift();
      if (typeof answer === 'string') sink.fail(new PatchgateError('target-unreachable', answer));
      else {
        const status = typeof answer === 'number' ? answer : 200;
        sink.head({ status, message: '', headers: [] }, { resume: () => undefined }, 'target');
        sink.end(Buffer.from(JSON.stringify(answer)));
      }
      return () => undefined;
    },
    close: async () => undefined,
  };
  const notices: string[] = [];
  const state = new KnownState();
  const notice = (text: string) => void notices.push(text);
  const find = readingRecords(state, target, { kinds, timeout: 0, redaction: redactionOf(), notice });
  const ask = (url = PROJECT_PATH, name = NAME) =>
    find(name, {
      method: 'PATCH',
      url,
      headers: [],
      stream: Readable.from([]),
      cameAt: performance.now(),
      session: { id: 1, name: '' },
    });
  return { state, ask, notices, urls };
}

describe('a record that is read', () => {
  it('is known from then on', async () => {
    const { state, ask, notices } = reading([{ _data: PROJECT }]);
    await ask();
    expect(state.of(NAME)).toEqual({ record: PROJECT, isWhole: true });
    expect(notices).toEqual([]);
  });

  it('may be a part of it where there is a query', async () => {
    const { state, ask } = reading([PROJECT]);
    await ask(`${PROJECT_PATH}?only=enabled`);
    expect(state.of(NAME)).toEqual({ record: PROJECT, isWhole: false });
  });

  it('does not hide a PATCH that went by meanwhile: it may be from before it', async () => {
    const environments = [{ id: 2, name: 'Staging', isEnabled: false }];
    const { state, ask } = reading([PROJECT], ['project'], (state) =>
      state.send(NAME, { ...PROJECT, environments }).accepted(),
    );
    await ask();
    const known = [...PROJECT.environments, ...environments];
    expect(state.of(NAME)?.record.environments).toEqual(expect.arrayContaining(known));
  });

  it('is none of a kind that nobody could tell', async () => {
    const { ask, urls } = reading([PROJECT], ['feature']);
    await ask();
    expect(urls).toEqual([]);
  });
});

describe('a record that cannot be read', () => {
  it('is told once for each reason, and tried again', async () => {
    const { state, ask, notices, urls } = reading([404, 404, 'it refused the connection', 404, PROJECT]);
    for (let i = 0; i < 4; i++) await ask();
    const shown = `what ${PROJECT_PATH} holds could not be read`;
    const effect = 'so nobody can say for sure what a PATCH of it deletes';
    expect(notices).toEqual([
      `${shown}: it was answered with the status 404; ${effect}`,
      `${shown}: it refused the connection; ${effect}`,
    ]);
    expect(state.of(NAME)).toBeUndefined();
    await ask();
    expect(state.of(NAME)?.isWhole).toBe(true);
    expect(urls).toHaveLength(5);
  });

  it('is told of each, without secrets', async () => {
    const { ask, notices } = reading([404, 404, 'password=hunter2 is wrong']);
    await ask(`${PROJECT_PATH}?token=hunter2`);
    await ask(PROJECT_PATH.replace('42', '43'), { ...NAME, id: '43' });
    await ask();
    expect(notices).toHaveLength(3);
    expect(notices.join()).not.toContain('hunter2');
    expect(notices[0]).toContain(`${PROJECT_PATH}?token=[redacted]`);
  });
});
