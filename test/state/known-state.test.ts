import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, listAt, member } from '../../src/json/json.ts';
import type { Known, RecordName } from '../../src/model/record.ts';
import { KnownState, type KnownStateOptions, type Sent } from '../../src/state/known-state.ts';
import type { Shown } from '../../src/state/records.ts';
import { type Held, ServiceModel } from '../support/service-model.ts';
import { shown as answer } from '../support/shown.ts';

const named = (account: string, id = '42'): RecordName => ({ account, kind: 'project', id });
const CURRENT = named('current');

function project(...ids: number[]): JsonObject {
  return {
    name: 'Checkout',
    languages: ['GO'],
    environments: ids.map((id) => ({ id, name: `e${id}`, isEnabled: id === 1 })),
  };
}

const idsOf = (known: Known | undefined) =>
  listAt(known?.record, 'environments')
    .map((item) => member(item, 'id'))
    .sort();

/** What is known, in short: `[1, 2] whole`. */
const brief = (known: Known | undefined) =>
  known && `${JSON.stringify(idsOf(known))}${known.isWhole ? ' whole' : ''}`;

interface Step {
  act: 'send' | 'read' | 'end' | 'forget';
  account: number;
  /** Of a PATCH. */
  ids: number[];
  body: 'whole' | 'some without an id' | 'unread';
  /** Which of what is possible happens. */
  which: number;
  ending: 'plain' | 'shown' | 'unclear';
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom('send', 'send', 'send', 'read', 'end', 'end', 'end', 'end', 'forget'),
  account: fc.nat(2),
  ids: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  body: fc.constantFrom('whole', 'whole', 'whole', 'some without an id', 'unread'),
  which: fc.nat(1000),
  ending: fc.constantFrom('plain', 'plain', 'shown', 'unclear'),
});

interface Patch {
  own: Sent;
  name: RecordName;
  ids: number[];
  /** Nothing else was on its way. */
  isPrecise: boolean;
}

/** Plays requests against a service of which all that it might do is known, and holds what is known of it against that. */
class Play {
  readonly told = new Map<string, { name: RecordName; known: Known }>();
  readonly state: KnownState;
  readonly model: ServiceModel;
  readonly #sent = new Map<number, Patch>();
  readonly #reads = new Map<number, (shown: Shown) => void>();

  constructor(
    readonly accounts: readonly string[],
    options: KnownStateOptions,
  ) {
    this.state = new KnownState({
      ...options,
      onChange: (name) => {
        const known = this.state.at(name);
        if (known) this.told.set(JSON.stringify(name), { name, known });
        else this.told.delete(JSON.stringify(name));
      },
    });
    const others = accounts.filter((account) => account !== 'current');
    this.model = new ServiceModel([undefined, ...others]);
  }

  take({ act, account: number, ids, body, which, ending }: Step): void {
    const account = this.accounts[number % this.accounts.length] as string;
    const name = named(account);
    const isFull = this.model.requests.length >= 3;
    if (act === 'send' && !isFull) this.#send(name, ids, body);
    else if (act === 'read' && !isFull) {
      const isPart = which % 4 === 0;
      this.#reads.set(this.model.send(account, undefined), this.state.read(name, isPart));
    } else if (act === 'forget') {
      this.model.delete(account);
      this.state.forget(name);
    } else this.#end(which, ending);
  }

  #send(name: RecordName, ids: number[], body: Step['body']): void {
    const isPrecise = this.#sent.size === 0 && body === 'whole';
    for (const other of this.#sent.values()) other.isPrecise = false;
    const whole = project(...ids);
    const sent =
      body === 'whole'
        ? whole
        : { ...whole, environments: [...listAt(whole, 'environments'), { name: 'x' }] };
    const own = this.state.send(name, body === 'unread' ? undefined : sent);
    const held: Held = body === 'unread' ? { ids: [], unknown: true } : { ids, unknown: body !== 'whole' };
    this.#sent.set(this.model.send(name.account, held), { own, name, ids, isPrecise });
  }

  #end(which: number, ending: Step['ending']): void {
    const id = this.model.requests[which % Math.max(1, this.model.requests.length)];
    if (id === undefined) return;
    const outcomes = this.model.outcomes(id);
    const outcome = outcomes[(which >> 3) % outcomes.length];
    const seen = outcome && !outcome.unknown && !outcome.isDeleted ? project(...outcome.ids) : undefined;
    const read = this.#reads.get(id);
    if (read) {
      this.#reads.delete(id);
      this.model.end(id, (seen) => JSON.stringify(seen) === JSON.stringify(outcome));
      if (seen) read(answer(seen));
      return;
    }
    const { own, name, ids, isPrecise } = this.#sent.get(id) as Patch;
    this.#sent.delete(id);
    if (ending === 'unclear') {
      this.model.end(id, () => true);
      own.unclear();
    } else if (outcome) {
      this.model.end(id, (seen) => seen !== undefined);
      own.accepted(ending === 'shown' && seen ? answer(seen) : undefined);
      if (isPrecise && this.#sent.size === 0)
        expect(brief(this.state.of(name))).toBe(`${JSON.stringify([...ids].sort())} whole`);
    } else {
      this.model.end(id, (seen) => seen === undefined);
      own.rejected();
    }
  }

  /** Nothing that may be there is unknown. */
  check(isWholeSure: boolean): void {
    for (const account of this.accounts) {
      const known = this.state.of(named(account));
      const ids = new Set(idsOf(known));
      for (const held of this.model.held(account)) {
        for (const id of held.ids) expect(ids, `environment ${id} of ${account}`).toContain(id);
        if (isWholeSure && held.unknown) expect(known?.isWhole ?? false).toBe(false);
      }
    }
    const restored = new KnownState();
    for (const { name, known } of this.told.values()) restored.restore(name, known);
    const byName = (state: KnownState) =>
      [...state.entries()].sort((a, b) => (a.name.account < b.name.account ? -1 : 1));
    expect(byName(restored)).toEqual(byName(this.state));
  }
}

describe('what is known is never less than what may be', { tags: 'slow' }, () => {
  const play = (accounts: readonly string[], options: KnownStateOptions, isWholeSure: boolean) =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        const game = new Play(accounts, options);
        for (const one of steps) {
          game.take(one);
          game.check(isWholeSure);
        }
      }),
      { numRuns: 400 },
    );

  it('of one name', () => play(['current'], {}, true));

  it('of several that may be the same', () => play(['current', '5', '7'], {}, false));

  const live = { lag: 0 };

  it('of one name, at a live service', () => play(['current'], { live }, true));

  it('of several that may be the same, at a live service', () =>
    play(['current', '5', '7'], { live }, false));
});

describe("what a live service's project has lost past the gate", () => {
  function lost({ lag = 60_000 } = {}) {
    const clock = { now: 0 };
    const state = new KnownState({ live: { lag, clock: () => clock.now } });
    state.read(CURRENT, false)(answer(project(1, 2)), 'me');
    const confirm = (by = 'me', isPart = false) => state.confirm(CURRENT, by, isPart);
    return { clock, state, confirm, known: () => idsOf(state.of(CURRENT) as Known) };
  }

  it('is forgotten where the gate has read it, a while after it was there', () => {
    const { clock, confirm, known, state } = lost();
    clock.now = 59_999;
    confirm()(answer(project(1)));
    expect(known()).toEqual([1, 2]);
    expect(state.of(CURRENT)?.record.environments).toMatchObject([
      { id: 1 },
      { possibleSince: expect.any(String) },
    ]);
    clock.now = 60_000;
    confirm()(answer(project(1)));
    expect(state.of(CURRENT)).toEqual({ record: project(1), isWhole: true });
  });

  it.each<[string, (lost_: ReturnType<typeof lost>) => void]>([
    ['by somebody else', ({ confirm }) => confirm('you')(answer(project(1)))],
    ['a part', ({ confirm }) => confirm('me', true)(answer(project(1)))],
    ['an old answer', ({ confirm }) => confirm()({ ...answer(project(1)), isDated: true })],
    [
      'before a PATCH that was accepted meanwhile',
      ({ confirm, state }) => {
        const read = confirm();
        state.send(CURRENT, project(1, 2)).accepted();
        read(answer(project(1)));
      },
    ],
  ])('is not where that was read %s', (_, read) => {
    const game = lost();
    game.clock.now = 99_999;
    read(game);
    expect(game.known()).toEqual([1, 2]);
  });

  it('is not where it was seen meanwhile, and a PATCH that lacks it is accepted', () => {
    const { clock, state, known } = lost();
    const sent = state.send(CURRENT, project(1));
    clock.now = 1;
    state.read(CURRENT, false)(answer(project(1, 3)));
    sent.accepted();
    expect(known()).toEqual([1, 3]);
  });

  it('is not by another name where it was there a short while ago, or nobody has shown it', () => {
    const { clock, state, confirm, known } = lost();
    const read = state.read(named('7'), false);
    clock.now = 100_000;
    read(answer(project(1, 3)), 'you');
    clock.now = 200_000;
    confirm()(answer(project(1)));
    expect(known()).toEqual([1, 3]);
    confirm('you')(answer(project(1)));
    expect(known()).toEqual([1]);
  });

  it('comes back for sure where an answer shows it', () => {
    const { state, known } = lost();
    state.read(CURRENT, false)(answer(project(1)));
    state.read(CURRENT, false)(answer(project(1, 2)));
    expect(known()).toEqual([1, 2]);
    expect(state.of(CURRENT)?.record).toEqual(project(1, 2));
  });

  it('is only possible under the name that it had', () => {
    const { state } = lost();
    const renamed = { ...project(1), environments: [{ id: 1, name: 'new', isEnabled: false }] };
    state.read(CURRENT, false)(answer(renamed));
    expect(state.of(CURRENT)?.record.environments).toMatchObject([
      { id: 1, name: 'new' },
      { id: 1, name: 'e1', possibleSince: expect.any(String) },
      { id: 2, possibleSince: expect.any(String) },
    ]);
  });
});

it('is known with when a request or an answer last told of it', () => {
  const live = { lag: 0, clock: () => now };
  let now = 1000;
  const state = new KnownState({ live });
  const toldAt = () => {
    const at = state.toldAt(CURRENT);
    return at && Math.round(at - performance.timeOrigin);
  };
  // From a file, it is from another run.
  state.restore(CURRENT, { record: project(1), isWhole: true });
  expect(toldAt()).toBeUndefined();
  // What is refused tells nothing.
  state.send(CURRENT, project(1, 2)).rejected();
  expect(toldAt()).toBeUndefined();
  state.send(CURRENT, project(1, 2)).accepted();
  expect(toldAt()).toBe(1000);
  now = 2000;
  state.read(CURRENT, false)(answer(project(1, 2)), 'anna');
  expect(toldAt()).toBe(2000);
});

describe('a path before the account', () => {
  const at = (base?: string): RecordName => ({ ...CURRENT, ...(base !== undefined && { base }) });

  it('makes another record of it; of what is recorded it may be cut off', () => {
    for (const live of [{ lag: 0 }, undefined]) {
      const state = new KnownState(live ? { live } : {});
      state.send(at('/api/v2'), project(1)).accepted();
      expect(state.of(at('/other'))).toBeUndefined();
      expect(state.of(at(''))?.isWhole).toBe(live ? undefined : true);
    }
  });

  it('that nobody has said may be any, until something is known of the one', () => {
    const state = new KnownState({ live: { lag: 0 } });
    state.restore(at(), { record: project(1, 2), isWhole: true });
    expect(idsOf(state.of(at('/api/v2')) as Known)).toEqual([1, 2]);
    state.send(at('/api/v2'), project(1)).accepted();
    expect(idsOf(state.of(at('/api/v2')) as Known)).toEqual([1]);
    expect(idsOf(state.of(at('/other')) as Known)).toEqual([1, 2]);
    state.forget(at('/api/v2'));
    expect(state.of(at('/api/v2'))).toBeUndefined();
  });
});

describe('a PATCH', () => {
  it('that is accepted is what there is', () => {
    const state = new KnownState();
    state.send(CURRENT, project(1, 2)).accepted();
    expect(state.of(CURRENT)).toEqual({ record: project(1, 2), isWhole: true });
    state.send(CURRENT, project(3)).accepted();
    expect(state.of(CURRENT)).toEqual({ record: project(3), isWhole: true });
  });

  it('that is accepted is what the answer says', () => {
    const state = new KnownState();
    state.send(CURRENT, project(1)).accepted(answer(project(1, 9)));
    expect(state.of(CURRENT)).toEqual({ record: project(1, 9), isWhole: true });
  });

  it('that is refused says nothing', () => {
    const state = new KnownState();
    state.send(CURRENT, project(1, 2)).accepted();
    state.send(CURRENT, project(3)).rejected();
    expect(brief(state.of(CURRENT))).toBe('[1,2] whole');
    state.send(named('current', '43'), project(3)).rejected();
    expect(state.of(named('current', '43'))).toBeUndefined();
  });

  it('counts as applied and as not while it is on its way, and where nobody knows', () => {
    const state = new KnownState();
    state.send(CURRENT, project(1, 2)).accepted();
    const sent = state.send(CURRENT, project(2, 3));
    expect(brief(state.of(CURRENT))).toBe('[1,2,3] whole');
    sent.unclear();
    expect(brief(state.of(CURRENT))).toBe('[1,2,3] whole');
    state.send(CURRENT, project(3)).accepted();
    expect(brief(state.of(CURRENT))).toBe('[3] whole');
  });

  it('of what is not known shows a part of it', () => {
    const state = new KnownState();
    const sent = state.send(CURRENT, project(1));
    expect(brief(state.of(CURRENT))).toBe('[1]');
    sent.unclear();
    expect(brief(state.of(CURRENT))).toBe('[1]');
  });

  it('without a name or languages leaves those that are known', () => {
    const state = new KnownState();
    state.send(CURRENT, project(1, 2)).accepted();
    state.send(CURRENT, { environments: [{ id: 2, name: 'e2', isEnabled: false }] }).accepted();
    expect(state.of(CURRENT)).toEqual({ record: project(2), isWhole: true });
  });

  it('without environments that can be read leaves those that are known, and perhaps there are more', () => {
    for (const [environments, told] of [
      [undefined, '[1,2]'],
      [null, '[1,2]'],
      [[{ id: '3' }, { id: 4 }], '[1,2,4]'],
    ] as const) {
      const state = new KnownState();
      state.send(CURRENT, project(1, 2)).accepted();
      const { environments: _, ...rest } = project();
      state
        .send(CURRENT, { ...rest, ...(environments !== undefined && { environments }) } as JsonObject)
        .accepted();
      expect(brief(state.of(CURRENT))).toBe(told);
    }
  });

  it('that nobody has read leaves what is known, and perhaps there is more', () => {
    const state = new KnownState();
    state.send(CURRENT, project(1)).accepted();
    state.send(CURRENT, undefined).accepted();
    expect(brief(state.of(CURRENT))).toBe('[1]');
    state.send(CURRENT, undefined).accepted(answer(project(5)));
    expect(brief(state.of(CURRENT))).toBe('[5] whole');
  });

  it('of a feature adds to its lists, unless the answer says what they are', () => {
    const feature: RecordName = { account: 'current', kind: 'feature', id: '7' };
    const state = new KnownState();
    const has = (...ids: number[]) => ({ variables: ids.map((id) => ({ id })) });
    state.send(feature, has(1)).accepted(answer(has(1, 2)));
    expect(state.of(feature)).toEqual({ record: has(1, 2), isWhole: true });
    const sent = state.send(feature, has(3));
    expect(state.of(feature)).toEqual({ record: has(1, 2, 3), isWhole: false });
    sent.rejected();
    expect(state.of(feature)).toEqual({ record: has(1, 2), isWhole: true });
    state.send(feature, { name: 'Search', goals: [{ metricId: 5 }] }).accepted();
    expect(state.of(feature)).toEqual({ record: { name: 'Search', ...has(1, 2) }, isWhole: true });
    state.send(feature, has(3)).accepted();
    expect(state.of(feature)).toEqual({ record: { name: 'Search', ...has(1, 2, 3) }, isWhole: true });
    state.send(feature, { variables: [{ variableName: 'new' }] }).accepted();
    expect(state.of(feature)).toEqual({ record: { name: 'Search' }, isWhole: true });
    state.send(feature, undefined).accepted();
    expect(state.of(feature)).toBeUndefined();
  });
});

describe('accounts', () => {
  it('current and an integer may be the same one', () => {
    const state = new KnownState();
    state.send(CURRENT, project(1)).accepted();
    state.send(named('5'), project(2)).accepted();
    // Were they the same, the later one would be all there is; if not, current still has its own.
    expect(brief(state.of(CURRENT))).toBe('[1,2] whole');
    expect(brief(state.of(named('5')))).toBe('[2] whole');
    expect(brief(state.of(named('7')))).toBe('[1] whole');
    state.send(CURRENT, project(3)).accepted();
    expect(brief(state.of(CURRENT))).toBe('[3] whole');
    expect(brief(state.of(named('5')))).toBe('[2,3] whole');
  });

  it('a doubt that came later by the other name counts', () => {
    const state = new KnownState();
    state.send(named('5'), project(1)).accepted();
    state.send(CURRENT, project(2)).accepted();
    state.send(named('5'), project(3)).unclear();
    expect(brief(state.of(CURRENT))).toBe('[1,2,3] whole');
  });

  it('what was refused by the other name brings nothing back', () => {
    const state = new KnownState();
    state.send(named('5'), project(1)).accepted();
    state.send(CURRENT, project(2)).accepted();
    const sent = state.send(named('5'), project(3));
    expect(brief(state.of(CURRENT))).toBe('[1,2,3] whole');
    sent.rejected();
    expect(brief(state.of(CURRENT))).toBe('[2] whole');
  });

  it('two PATCHes by two names at the same time count both', () => {
    const state = new KnownState();
    const one = state.send(CURRENT, project(1));
    const other = state.send(named('5'), project(2));
    other.accepted();
    one.accepted();
    expect(brief(state.of(CURRENT))).toBe('[1,2] whole');
  });

  it('an answer from before a PATCH by the other name does not hide what that sent', () => {
    const state = new KnownState();
    const read = state.read(CURRENT, false);
    state.send(named('5'), project(2)).accepted();
    read(answer(project(1)));
    expect(brief(state.of(CURRENT))).toBe('[1,2] whole');
  });
});

describe('what was read', () => {
  it('while a PATCH by another name is on its way may be older than that', () => {
    const state = new KnownState();
    const sent = state.send(named('5'), project(2));
    state.read(CURRENT, false)(answer(project(1)));
    expect(idsOf(state.of(CURRENT))).toEqual([1, 2]);
    sent.rejected();
    expect(brief(state.of(CURRENT))).toBe('[1]');
  });

  it('is what there is', () => {
    const state = new KnownState();
    state.read(CURRENT, false)(answer(project(1)));
    expect(brief(state.of(CURRENT))).toBe('[1] whole');
    state.read(CURRENT, false)(answer(project(2)));
    expect(brief(state.of(CURRENT))).toBe('[2] whole');
  });

  it('in part is only a part', () => {
    const state = new KnownState();
    state.read(CURRENT, true)(answer(project(1)));
    expect(brief(state.of(CURRENT))).toBe('[1]');
  });

  it.each(['accepted', 'unclear'] as const)('before a PATCH that was %s may be out of date', (ending) => {
    const state = new KnownState();
    const read = state.read(CURRENT, false);
    state.send(CURRENT, project(2))[ending]();
    read(answer(project(1)));
    expect(idsOf(state.of(CURRENT))).toEqual([1, 2]);
  });

  it('before what was deleted, or forgotten for lack of room, is no more sure than that', () => {
    const state = new KnownState({ most: 2000 });
    state.send(CURRENT, project(1)).accepted();
    const read = state.read(CURRENT, false);
    state.send(CURRENT, project(2)).accepted();
    for (let id = 0; id < 9; id++) state.send(named('current', `${id}`), project(1)).accepted();
    expect(state.of(CURRENT)).toBeUndefined();
    read(answer(project(1)));
    expect(brief(state.of(CURRENT))).toBe('[1]');
  });
});

describe('room', () => {
  it('is bounded: what was learnt longest ago is forgotten, and told', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: fc.nat(9), count: fc.nat(40), ends: fc.boolean() }), { maxLength: 40 }),
        (steps) => {
          const forgotten: string[] = [];
          const told = new Map<string, Known>();
          const state: KnownState = new KnownState({
            most: 6000,
            onForget: ({ id }) => forgotten.push(id),
            onChange: (name) => {
              const known = state.at(name);
              if (known) told.set(name.id, known);
              else told.delete(name.id);
            },
          });
          for (const { id, count, ends } of steps) {
            const sent = state.send(named('current', `${id}`), project(...Array(count).keys()));
            if (ends) sent.accepted();
            else sent.unclear();
            const texts = [...state.entries()].map(({ known }) => JSON.stringify(known.record));
            expect(texts.reduce((sum, text) => sum + text.length + 500, 0)).toBeLessThanOrEqual(6000);
          }
          expect([...state.entries()].map(({ name }) => name.id).sort()).toEqual([...told.keys()].sort());
        },
      ),
    );
  });

  it('is not for one record that is larger than all of it', () => {
    const forgotten: RecordName[] = [];
    const state = new KnownState({ most: 1000, onForget: (name) => forgotten.push(name) });
    for (let id = 0; id < 20; id++) state.send(CURRENT, project(id)).unclear();
    expect(forgotten.length).toBeGreaterThan(0);
    expect(forgotten[0]).toEqual(CURRENT);
  });

  it('goes to what was learnt last', () => {
    const forgotten: string[] = [];
    const state = new KnownState({ most: 2200, onForget: ({ id }) => forgotten.push(id) });
    for (const id of ['1', '2', '3', '1', '4', '5'])
      state.send(named('current', id), project(1, 2, 3)).accepted();
    expect(forgotten).toEqual(['2', '3']);
  });
});

it('nothing is left of what ended without saying anything', () => {
  const state = new KnownState();
  const sent = Array.from({ length: 50 }, (_, id) => state.send(named('5', `${id}`), project(1)));
  expect([...state.entries()]).toHaveLength(50);
  for (const one of sent) one.rejected();
  expect([...state.entries()]).toEqual([]);
  state.send(CURRENT, project(1)).accepted();
  state.forget(CURRENT);
  state.forget(CURRENT);
  state.restore(CURRENT, undefined);
  expect([...state.entries()]).toEqual([]);
});

it('only what changes is told', () => {
  const told: (string | undefined)[] = [];
  const state: KnownState = new KnownState({ onChange: (name) => told.push(brief(state.at(name))) });
  state.restore(CURRENT, { record: project(1), isWhole: true });
  state.send(CURRENT, project(1)).accepted();
  state.read(CURRENT, false)(answer(project(1)));
  expect(told).toEqual([]);
  state.send(CURRENT, project(2)).accepted();
  state.forget(CURRENT);
  expect(told).toEqual(['[1,2] whole', '[2] whole', undefined]);
});

describe('what others have learnt', () => {
  const whole = (...ids: number[]): Known => ({ record: project(...ids), isWhole: true });
  const live = () => {
    const changed: RecordName[] = [];
    const state = new KnownState({ live: { lag: 0 }, onChange: (name) => changed.push(name) });
    state.send(CURRENT, project(1, 2)).accepted();
    state.send(named('196'), project(3)).accepted();
    changed.length = 0;
    return { state, changed };
  };

  it('takes the place of what is known, by all names, and is not told', () => {
    const { state, changed } = live();
    expect(state.namesOf(CURRENT).map(({ name }) => name.account)).toEqual(['current', '196']);
    state.replace(CURRENT, [{ name: CURRENT, known: whole(1) }]);
    expect(state.namesOf(CURRENT)).toEqual([{ name: CURRENT, known: whole(1) }]);
    expect(brief(state.of(CURRENT))).toBe('[1] whole');
    state.replace(CURRENT, []);
    expect(state.of(CURRENT)).toBeUndefined();
    expect(state.count).toBe(0);
    expect(changed).toEqual([]);
  });

  it('leaves what is on its way', () => {
    const { state } = live();
    const sent = state.send(CURRENT, project(1, 9));
    state.replace(CURRENT, [{ name: CURRENT, known: whole(1, 5) }]);
    expect(state.namesOf(CURRENT)).toEqual([{ name: CURRENT, known: whole(1, 5) }]);
    expect(brief(state.of(CURRENT))).toBe('[1,5,9] whole');
    sent.rejected();
    expect(brief(state.of(CURRENT))).toBe('[1,5] whole');
  });

  it('makes late what is read meanwhile, unless it is nothing new', () => {
    const { state } = live();
    const known = state.namesOf(CURRENT);
    const inTime = state.confirm(CURRENT, 'me', false);
    state.replace(
      CURRENT,
      known.map(({ name, known }) => ({ name, known: structuredClone(known) })),
    );
    inTime(answer(project(1, 2, 3)));
    expect(state.of(CURRENT)?.record.environments).toEqual(project(1, 2, 3).environments);
    const late = state.read(CURRENT, false);
    state.replace(CURRENT, [{ name: CURRENT, known: whole(1) }]);
    late(answer(project(1, 2)));
    expect(state.of(CURRENT)?.record.environments).toMatchObject([
      { id: 1 },
      { id: 2, possibleSince: expect.any(String) },
    ]);
  });
});
