import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeKnowledge } from '../../src/guard/knowledge.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { losesEnvironment } from '../../src/model/effect.ts';
import type { RecordName } from '../../src/model/record.ts';
import { effectsOf } from '../../src/state/effects.ts';
import { PROJECT, SAMPLE } from '../../src/upstreams/fake/sample.ts';
import { type Fake, type FakeOptions, startFake } from '../../src/upstreams/fake/start-fake.ts';

const NAME: RecordName = { account: 'current', kind: 'project', id: '42' };
const PATH = '/api/v2/accounts/current/projects/42';
const ONE = { id: 1, name: 'one' };
const TWO = { id: 2, name: 'two' };

let fake: Fake | undefined;
afterEach(() => fake?.close());

async function start(options: Partial<FakeOptions> = {}) {
  fake = await startFake(options);
  for (const session of [ONE, TWO]) fake.start(session);
  const url = fake.url;
  const ask = async (session: { id: number }, body?: unknown) => {
    const headers = { 'content-type': 'application/json', 'patchgate-session': String(session.id) };
    const init = body === undefined ? {} : { method: 'PATCH', body: JSON.stringify(body) };
    const response = await fetch(url + PATH, { headers, ...init });
    expect(response.status).toBe(200);
    return (await response.json()) as JsonObject;
  };
  return { fake, ask, knowledge: fakeKnowledge(fake) };
}

describe('what is known of the fake', () => {
  it('is what it holds in that session, all of it', async () => {
    const { fake, ask, knowledge } = await start({});
    expect(knowledge.of(NAME, ONE)).toEqual({ record: PROJECT, isWhole: true });
    const fewer = { ...PROJECT, environments: PROJECT.environments.slice(1) };
    await ask(ONE, fewer);
    expect(knowledge.of(NAME, ONE)).toEqual({ record: fewer, isWhole: true });
    expect(knowledge.of(NAME, TWO)).toEqual({ record: PROJECT, isWhole: true });
    expect(knowledge.of({ ...NAME, id: '43' }, ONE)).toBeUndefined();
    expect(knowledge.of({ ...NAME, kind: 'feature' }, ONE)).toBeUndefined();
    fake.end(ONE);
    expect(knowledge.of(NAME, ONE)).toBeUndefined();
    fake.start({ id: 3, name: 'one' });
    expect(knowledge.of(NAME, { id: 3, name: 'one' })).toEqual({ record: PROJECT, isWhole: true });
  });

  it('does not show the mark of a state file that a record is incomplete', async () => {
    const seed = { accounts: { current: { projects: { 42: { ...PROJECT, incomplete: true } } } } };
    const { ask } = await start({ seed });
    expect(await ask(ONE)).toEqual(PROJECT);
  });
});

const environment = fc.record(
  { id: fc.integer({ min: 1, max: 12 }), name: fc.constantFrom('a', 'b', 'c', ''), isEnabled: fc.boolean() },
  { noNullPrototype: true },
);
/** What nobody could hold on to as an environment is sent as well. */
const item = fc.oneof(
  { weight: 9, arbitrary: environment },
  fc.constantFrom<unknown>(null, 1, [], {}, { id: '1' }, { id: 1.5 }, { name: 'a' }, { id: null }),
);
const body = fc.record(
  {
    name: fc.constantFrom('Checkout', 'Cart'),
    languages: fc.subarray(['GO', 'NODEJS', 'PYTHON']),
    environments: fc.oneof(
      { weight: 9, arbitrary: fc.array(item, { maxLength: 6 }) },
      fc.constantFrom<unknown>(null, 'none', {}),
    ),
  },
  { noNullPrototype: true },
);

function idsIn({ environments }: JsonObject): number[] {
  const items = Array.isArray(environments) ? environments : [];
  const ids = items.map((one) => (one as { id?: unknown } | null)?.id).filter(Number.isInteger);
  return [...new Set(ids as number[])].sort((a, b) => a - b);
}

it('loses in a PATCH the environments that were told before it, and no others', {
  tags: 'slow',
}, async () => {
  const { ask, knowledge } = await start();
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 4 }), async (bodies) => {
      let before = idsIn(await ask(ONE, SAMPLE.accounts?.current?.projects?.[42]));
      for (const sent of bodies) {
        const known = knowledge.of(NAME, ONE)?.record as JsonObject;
        const effects = effectsOf('project', known, sent as JsonObject);
        const told = effects.filter(losesEnvironment).map(({ id }) => id);
        const created = effects.flatMap((effect) =>
          effect.kind === 'environment-created'
            ? [effect.id]
            : effect.kind === 'environment-replaced'
              ? [effect.newId]
              : [],
        );
        await ask(ONE, sent);
        const after = idsIn(await ask(ONE));
        expect(told.sort((a, b) => a - b)).toEqual(before.filter((id) => !after.includes(id)));
        expect(created.sort((a, b) => a - b)).toEqual(after.filter((id) => !before.includes(id)));
        before = after;
      }
    }),
    { numRuns: 40 },
  );
});
