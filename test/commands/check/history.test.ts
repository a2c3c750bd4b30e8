import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type ExchangePlace,
  History,
  InitialState,
  readInitialState,
} from '../../../src/commands/check/history.ts';
import { judgeRecordings, type RecordingFile } from '../../../src/commands/check/recording.ts';
import { recordedUpdate } from '../../../src/guard/recorded-history.ts';
import { lineOf } from '../../../src/guard/state-files.ts';
import { losesEnvironment } from '../../../src/model/effect.ts';
import type { Exchange } from '../../../src/model/exchange.ts';
import type { RecordName } from '../../../src/model/record.ts';
import { locationOf } from '../../../src/recordings/store/location.ts';
import { KnownState } from '../../../src/state/known-state.ts';
import { laterRefusal } from '../../support/errors.ts';
import { exchange } from '../../support/exchanges.ts';
import { gate } from '../../support/gate.ts';
import { at, fileText, projectOf } from '../../support/recorded-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const GATE = gate({ guard: 'off' });

/** What is sent or shown has environments of these ids. */
const environments = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const event = fc.record({
  recording: fc.constantFrom('a', 'b'),
  project: fc.constantFrom(41, 42),
  what: fc.constantFrom(
    'accepted',
    'accepted',
    'accepted',
    'answered',
    'refused',
    'unclear',
    'read',
    'missing',
    'deleted',
  ),
  sent: environments,
  shown: environments,
  isText: fc.boolean(),
});
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

function exchangeOf(
  { what, project, sent, shown, isText }: Event,
  second: number,
  account = 'current',
): Exchange {
  const whole = { path: `/accounts/${account}/projects/${project}`, recordedAt: at(second) };
  const body = isText ? { text: JSON.stringify(projectOf(...sent), null, 7) } : { json: projectOf(...sent) };
  const answer = { json: { _data: projectOf(...shown) } };
  switch (what) {
    case 'accepted':
      return exchange({ ...whole, body });
    case 'answered':
      return exchange({ ...whole, body, answer });
    case 'refused':
      return exchange({ ...whole, body, status: 422 });
    case 'unclear':
      return exchange({ ...whole, body, status: 503 });
    case 'read':
      return exchange({ ...whole, method: 'GET', answer });
    case 'missing':
      return exchange({ ...whole, method: 'GET', status: 404 });
    case 'deleted':
      return exchange({ ...whole, method: 'DELETE', status: 204 });
  }
}

/** What each PATCH loses, told by sets alone: by its recording and its time. */
function lossesOf(events: readonly Event[]): Map<string, number[]> {
  const may = new Map<string, Set<number>>();
  const losses = new Map<string, number[]>();
  for (const [second, { recording, project, what, sent, shown }] of events.entries()) {
    const name = `${recording} ${project}`;
    const before = may.get(name) ?? new Set();
    const isPatch = !['read', 'missing', 'deleted'].includes(what);
    if (isPatch)
      losses.set(
        `${recording} ${at(second)}`,
        [...before].filter((id) => !sent.includes(id)),
      );
    if (what === 'accepted') may.set(name, new Set(sent));
    if (what === 'answered' || what === 'read') may.set(name, new Set(shown));
    if (what === 'unclear') may.set(name, new Set([...before, ...sent]));
    if (what === 'deleted') may.delete(name);
  }
  return losses;
}

/** The files that hold the exchanges, each with its own in their order. */
function filesOf(events: readonly Event[]): RecordingFile[] {
  const files = new Map<string, Exchange[]>();
  for (const [second, one] of events.entries()) {
    const made = exchangeOf(one, second);
    const name = `${one.recording}/${locationOf(made.request.method, made.request.path)}`;
    files.set(name, [...(files.get(name) ?? []), made]);
  }
  return [...files].map(([name, exchanges]) => ({
    name,
    path: `/${name}`,
    text: fileText(exchanges),
    exchanges,
  }));
}

it('of any course report the very environments that each PATCH loses, in whatever order the files come', {
  tags: 'slow',
}, () => {
  const runs = fc
    .array(event, { minLength: 2, maxLength: 25 })
    .chain((events) =>
      fc.tuple(
        fc.constant(events),
        fc.shuffledSubarray(filesOf(events), { minLength: filesOf(events).length }),
      ),
    );
  fc.assert(
    fc.property(runs, ([events, files]) => {
      const judged = [...judgeRecordings(GATE, files, new InitialState([]))];
      const reported = new Map<string, number[]>();
      for (const [number, file] of files.entries()) {
        for (const { pointer, effects = [] } of judged[number]?.subjects ?? []) {
          const { meta } = file.exchanges[Number(pointer.split('/')[2])] as Exchange;
          const lost = effects.filter(losesEnvironment).map(({ id }) => id);
          reported.set(`${file.name[0]} ${meta.recordedAt}`, lost);
        }
      }
      const sorted = (losses: Map<string, number[]>) =>
        [...losses].map(([when, ids]) => [when, ids.toSorted()]).sort();
      expect(sorted(reported)).toEqual(sorted(lossesOf(events)));
    }),
    { numRuns: 200 },
  );
});

it('tell of accounts that may be the same what one ledger of all of them says', { tags: 'slow' }, () => {
  const accounts = fc.constantFrom('current', '5', '6');
  const events = fc.array(fc.tuple(event, accounts), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(events, (all) => {
      const initial = new InitialState([]);
      const history = new History(GATE, initial);
      const ledger = new KnownState();
      // Each in a file of its recording's own folder tree.
      const files = new Map<string, number>();
      const counts: number[] = [];
      const asked: { name: RecordName; place: ExchangePlace; known: unknown }[] = [];
      for (const [second, [one, name]] of all.entries()) {
        const made = exchangeOf(one, second, name);
        const location = locationOf(made.request.method, made.request.path);
        const file = files.get(location) ?? files.size;
        files.set(location, file);
        const index = counts[file] ?? 0;
        counts[file] = index + 1;
        const place = { file, index };
        const update = recordedUpdate(GATE, ['project'], made);
        if (update?.isJudged) asked.push({ name: update.name, place, known: ledger.of(update.name) });
        update?.apply(ledger);
        history.add(made, place, second);
      }
      for (const { name, place, known } of asked.sort((a, b) => a.place.file - b.place.file))
        expect(history.knownBefore(name, place)).toEqual(known);
    }),
    { numRuns: 150 },
  );
});

const PROJECT: RecordName = { account: 'current', kind: 'project', id: '42' };
const record = { name: 'Checkout', languages: ['GO'], environments: [] };
const whole = { record, isWhole: true };

it('holds what a state file says, and is not changed by what is learnt from it', async () => {
  const cwd = temporaryFolder();
  const state = { accounts: { current: { projects: { 42: record } }, 77: { projects: { 43: record } } } };
  writeFileSync(join(cwd, 'state.json'), JSON.stringify(state));
  const initial = await readInitialState({ state: 'state.json' }, cwd);
  expect(initial.stateOf(PROJECT).of(PROJECT)).toEqual(whole);
  initial.stateOf(PROJECT).forget(PROJECT);
  expect(initial.stateOf(PROJECT).of(PROJECT)).toEqual(whole);
  expect(
    [PROJECT, { ...PROJECT, id: '43' }, { ...PROJECT, id: '44' }].map((name) => initial.has(name)),
  ).toEqual([true, true, false]);
});

it('holds what a proxy has not moved into its state file yet', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'state.json.journal'), lineOf({ name: PROJECT, known: whole }));
  const initial = await readInitialState({ state: 'state.json' }, cwd);
  expect(initial.stateOf(PROJECT).of(PROJECT)).toEqual(whole);
});

it('is nothing without a state file', async () => {
  const nothing = await readInitialState({}, temporaryFolder());
  expect(nothing.has(PROJECT)).toBe(false);
  expect(nothing.stateOf(PROJECT).of(PROJECT)).toBeUndefined();
});

it.each([
  ['does not exist', undefined, /^cannot read the state state\.json: it does not exist \(check the path/],
  ['is no JSON', '{"accounts": ', /state\.json:1:14: the document ends/],
  [
    'has another shape',
    '{\n  "accounts": {"current": {"project": {}}}\n}',
    /unknown field "project" of accounts\.current in .*state\.json:2:28 \(did you mean "projects"\?\)/,
  ],
])('a state file that %s is an error that names it', async (_, text, said) => {
  const cwd = temporaryFolder();
  if (text !== undefined) writeFileSync(join(cwd, 'state.json'), text);
  const message = await laterRefusal('bad-input', readInitialState({ state: 'state.json' }, cwd));
  expect(message).toMatch(said);
});
