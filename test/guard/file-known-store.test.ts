import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ApprovalStore, FileApprovals } from '../../src/guard/file-approvals.ts';
import { FileKnownStore, openKnownStore } from '../../src/guard/file-known-store.ts';
import type { KnownStore } from '../../src/guard/known-store.ts';
import { journalOf } from '../../src/guard/state-files.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { KeptApproval } from '../../src/model/approval.ts';
import type { RecordKind, RecordName } from '../../src/model/record.ts';
import type { KnownState, Sent } from '../../src/state/known-state.ts';
import { environmentsOf } from '../../src/state/project.ts';
import { laterRefusal } from '../support/errors.ts';
import { describeKnownStore, holding, learn, project } from '../support/known-store-suite.ts';
import { shown } from '../support/shown.ts';
import { withPatched } from '../support/steps.ts';
import { bundleProgram, startProgram } from '../support/store-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TARGET = 'https://staging.example.com/api/v2';

const idsIn = (record: JsonObject | undefined) => environmentsOf(record).map(({ id }) => id);

afterEach(() => void vi.useRealTimers());

function newFile(): string {
  return join(temporaryFolder(), '.patchgate', 'state.json');
}

interface Opened extends KnownStore {
  notices: string[];
}

async function open(file: string, more: { target?: string } = {}): Promise<Opened> {
  await turn();
  const notices: string[] = [];
  const kept = await openKnownStore({ file, lag: 60_000, notice: (text) => notices.push(text), ...more });
  onTestFinished(() => kept.close());
  return Object.assign(kept, { notices });
}

const entriesOf = ({ state }: KnownStore) =>
  [...state.entries()].sort((a, b) => JSON.stringify(a.name).localeCompare(JSON.stringify(b.name)));
const namesIn = (file: string) => readdirSync(dirname(file)).sort();
const textOf = (file: string) => readFileSync(file, 'utf8');

/** What is learnt is in the journal before the answers of a turn go out. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The files as a process leaves them that is killed now. */
async function copyOf(file: string): Promise<string> {
  await turn();
  const copy = newFile();
  cpSync(dirname(file), dirname(copy), { recursive: true });
  rmSync(`${copy}.lock`, { force: true });
  return copy;
}

/** Closed within a moment: what its end writes is written. */
async function filled(file: string, ...ids: number[]): Promise<void> {
  const kept = await open(file);
  learn(kept, project(42), holding(...ids));
  await kept.close();
}

describeKnownStore('a file', async () => {
  const file = newFile();
  return {
    open: (options = {}) => openKnownStore({ file, lag: 60_000, notice: () => undefined, ...options }),
  };
});

describe('a restart', () => {
  test('knows what was learnt, in a file of the documented shape', async () => {
    const file = newFile();
    const first = await open(file, { target: TARGET });
    learn(first, project(42), holding(1, 2));
    first.state.send({ ...project(7), account: '196' }, holding(3)).unclear();
    const entries = entriesOf(first);
    const doubtful = first.state.of({ ...project(7), account: '196' })?.record;
    expect(doubtful).toMatchObject({ environments: [{ id: 3, possibleSince: expect.any(String) }] });
    await first.close();
    expect(textOf(file)).toBe(
      `${JSON.stringify(
        {
          target: TARGET,
          paths: {
            '/api/v2': {
              196: { projects: { 7: { ...doubtful, incomplete: true } } },
              current: { projects: { 42: holding(1, 2) } },
            },
          },
        },
        null,
        2,
      )}\n`,
    );
    expect(namesIn(file)).toEqual(['.gitignore', 'state.json']);
    expect(textOf(join(dirname(file), '.gitignore'))).toBe('*\n');
    const second = await open(file, { target: `${TARGET}/` });
    expect(entriesOf(second)).toEqual(entries);
    expect(second.notices).toEqual([]);
  });

  test('the same knowledge, learnt in another order, is the same file', async () => {
    const [one, other] = [newFile(), newFile()];
    for (const [file, ids] of [
      [one, [42, 7, 100]],
      [other, [100, 42, 7]],
    ] as const) {
      const kept = await open(file);
      for (const id of ids) learn(kept, project(id), holding(id));
      await kept.close();
    }
    expect(textOf(one)).toBe(textOf(other));
  });

  test('after a kill knows what was learnt, and what was on its way', async () => {
    const file = newFile();
    const first = await open(file);
    learn(first, project(42), holding(1, 2));
    learn(first, project(7), holding(3));
    first.state.forget(project(7));
    first.state.send(project(42), holding(2, 3));
    const second = await open(await copyOf(file));
    expect(entriesOf(second)).toEqual(entriesOf(first));
    expect(second.state.of(project(42))?.record.environments).toHaveLength(3);
    expect(second.state.of(project(7))).toBeUndefined();
  });

  test('after a kill puts what the journal holds into the file', async () => {
    const file = newFile();
    await filled(file, 1);
    const first = await open(file);
    learn(first, project(7), holding(3));
    const copy = await copyOf(file);
    expect(JSON.parse(textOf(copy)).paths['/api/v2'].current.projects).not.toHaveProperty('7');
    await (await open(copy)).close();
    expect(JSON.parse(textOf(copy)).paths['/api/v2'].current.projects).toHaveProperty('7');
    expect(namesIn(copy)).toEqual(['.gitignore', 'state.json']);
  });

  test('a kill between writing the file and emptying the journal does no harm', async () => {
    const file = newFile();
    const first = await open(file);
    learn(first, project(7), holding(7));
    learn(first, project(42), holding(1, 2));
    first.state.forget(project(7));
    learn(first, project(42), holding(2));
    await turn();
    const journal = textOf(`${file}.journal`);
    const entries = entriesOf(first);
    await first.close();
    writeFileSync(`${file}.journal`, journal);
    expect(entriesOf(await open(file))).toEqual(entries);
  });

  test('writes the file when nothing has changed for a moment, and empties the journal', async () => {
    const file = newFile();
    const kept = await open(file);
    learn(kept, project(42), holding(1));
    expect(existsSync(file)).toBe(false);
    await expect.poll(() => existsSync(file) && textOf(`${file}.journal`)).toBe('');
    expect(JSON.parse(textOf(file)).paths['/api/v2'].current.projects).toHaveProperty('42');
    learn(kept, project(7), holding(1));
    expect(textOf(`${file}.journal`)).toContain('"id":"7"');
  });

  test('a journal that has grown long is moved into the file while requests come', {
    tags: 'slow',
  }, async () => {
    const file = newFile();
    const kept = await open(file);
    let turn = 0;
    let [before, size] = [0, 0];
    // Never quiet: a change in each turn of the event loop.
    while (size >= before && turn < 20_000) {
      for (let i = 0; i < 20; i++) learn(kept, project(turn % 100), holding(1, ++turn));
      await new Promise(setImmediate);
      [before, size] = [size, statSync(`${file}.journal`).size];
    }
    expect(turn).toBeLessThan(20_000);
    expect(existsSync(file)).toBe(true);
    expect(entriesOf(await open(await copyOf(file)))).toEqual(entriesOf(kept));
  });
});

describe('a process that is killed', () => {
  const PROGRAM = `
    import { openKnownStore } from './src/guard/file-known-store.ts';
    const kept = await openKnownStore({ file: process.argv[2], lag: 60_000, notice: console.log });
    for (let id = 1; ; id++) {
      const body = { name: 'P', languages: [], environments: [{ id, name: 'E', isEnabled: true }] };
      kept.state.send({ base: '/api/v2', account: 'current', kind: 'project', id: String(id % 5000) }, body).accepted();
      await new Promise(setImmediate);
      console.log(id);
    }
  `;

  test('leaves all that it had learnt, and a lock that is taken over', {
    timeout: 60_000,
    tags: 'slow',
  }, async () => {
    const program = await bundleProgram(PROGRAM, temporaryFolder());
    const file = newFile();
    for (const most of [1, 400, 9000]) {
      let last = 0;
      const { child, ended } = startProgram(program, [file], (line) => {
        last = Number(line);
        if (last >= most) child.kill('SIGKILL');
      });
      await ended;
      expect(last).toBeGreaterThanOrEqual(most);
      const kept = await open(file);
      expect(kept.notices).toEqual([]);
      const newest = kept.state.of(project(last % 5000));
      const [environment] = newest ? idsIn(newest.record) : [];
      // It may have gone on after its last line was seen, by a round at most.
      expect(environment).toBeGreaterThanOrEqual(last);
      for (let id = Math.max(1, last - 4000); id <= last; id++)
        if (!kept.state.of(project(id % 5000))?.isWhole) expect.fail(`${id} of ${last} is lost`);
      await kept.close();
    }
  });
});

describe('the start', () => {
  test('makes nothing on disk before there is something to keep', async () => {
    const file = newFile();
    const kept = await open(file);
    kept.state.forget(project(42));
    kept.state.send(project(42), holding(1)).rejected();
    await kept.close();
    expect(existsSync(file)).toBe(true);
    const other = newFile();
    await (await open(other)).close();
    expect(existsSync(dirname(other))).toBe(false);
  });

  test('hides no folder that somebody else has made, or that has another name', async () => {
    const own = newFile();
    mkdirSync(dirname(own));
    await filled(own, 1);
    expect(namesIn(own)).toEqual(['state.json']);
    const named = join(temporaryFolder(), 'kept', 'state.json');
    await filled(named, 1);
    expect(namesIn(named)).toEqual(['state.json']);
  });

  test.each([
    ['empty', '', /state\.json:1:1: the document ends/],
    ['cut off', '{\n "accounts": {', /state\.json:2:15: the document ends/],
    ['of another shape', '{"accounts": []}', /state\.json:1:14 /],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /state\.json: this is not UTF-8/],
  ])('is stopped by a file that is %s, which stays as it is', async (_, text, message) => {
    const file = newFile();
    mkdirSync(dirname(file));
    writeFileSync(file, text);
    expect(await laterRefusal('bad-input', open(file))).toMatch(message);
    expect(readFileSync(file)).toEqual(Buffer.from(text));
    expect(namesIn(file)).toEqual(['state.json']);
  });

  test('is stopped by what is no file', async () => {
    const file = newFile();
    mkdirSync(file, { recursive: true });
    expect(await laterRefusal('cannot-read', open(file))).toContain(`cannot read ${file}: it is no file`);
    expect(namesIn(file)).toEqual(['state.json']);
  });

  test('is stopped by a journal with a broken line in the middle, not by a torn one at its end', async () => {
    const file = newFile();
    const first = await open(file);
    learn(first, project(42), holding(1));
    await turn();
    const whole = textOf(`${file}.journal`);
    const torn = await copyOf(file);
    writeFileSync(`${torn}.journal`, `${whole}{"account":"current","kind":"project","id":"42","rec`);
    const kept = await open(torn);
    expect(entriesOf(kept)).toEqual(entriesOf(first));
    learn(kept, project(7), holding(1));
    expect(entriesOf(await open(await copyOf(torn)))).toEqual(entriesOf(kept));
    const broken = await copyOf(file);
    writeFileSync(`${broken}.journal`, `${whole}{"account"\n${whole}`);
    expect(await laterRefusal('bad-input', open(broken))).toMatch(/state\.json\.journal:3:1: /);
  });

  test('says where the file is of another service, and uses it', async () => {
    const file = newFile();
    mkdirSync(dirname(file));
    writeFileSync(
      file,
      JSON.stringify({
        target: 'http://other',
        paths: { '/api/v2': { current: { projects: { 42: holding(1) } } } },
      }),
    );
    const kept = await open(file, { target: TARGET });
    expect(kept.notices).toHaveLength(1);
    expect(kept.notices[0]).toContain('http://other');
    expect(kept.notices[0]).toContain(TARGET);
    expect(kept.notices[0]).toContain('--state FILE');
    expect(kept.state.of(project(42))?.record).toEqual(holding(1));
    learn(kept, project(42), holding(1, 2));
    await kept.close();
    expect((await open(file, { target: TARGET })).notices).toEqual([]);
  });

  test('without a file keeps nothing', async () => {
    for (const file of [undefined, '']) {
      const kept = await openKnownStore({ file, lag: 60_000, notice: () => undefined });
      learn(kept, project(42), holding(1));
      expect(kept.state.of(project(42))?.isWhole).toBe(true);
      await kept.close();
    }
  });
});

describe('two at once', () => {
  test('the second says who holds the file, knows what it said, and writes nothing', async () => {
    const file = newFile();
    await filled(file, 1, 2);
    const first = await open(file);
    const second = await open(file);
    expect(second.notices).toHaveLength(1);
    expect(second.notices[0]).toMatch(
      /^the state file .* is in use: this process has been keeping .* --state FILE/,
    );
    expect(second.state.of(project(42))?.record).toEqual(holding(1, 2));
    learn(second, project(7), holding(1));
    await second.close();
    expect(second.trouble).toBeUndefined();
    expect(second.notices).toHaveLength(1);
    expect(existsSync(`${file}.journal`)).toBe(false);
    learn(first, project(42), holding(3));
    await first.close();
    expect(JSON.parse(textOf(file)).paths['/api/v2'].current.projects).toEqual({ 42: holding(3) });
  });

  test('who does not keep the file reads what the other has written meanwhile, whatever there was at the start', async () => {
    const file = newFile();
    const store = await open(file);
    const [learning, asking] = [await open(file), await open(file)];
    learn(store, project(42), holding(1));
    learn(learning, project(7), holding(1));
    expect(learning.notices).toHaveLength(1);
    for (const ids of [
      [1, 2],
      [1, 2, 3],
    ]) {
      learn(store, project(42), holding(...ids));
      for (const reader of [learning, asking]) {
        reader.follow?.();
        expect(idsIn(reader.state.of(project(42))?.record)?.sort()).toEqual(ids);
      }
    }
    // What it has learnt itself stays known.
    expect(idsIn(learning.state.of(project(7))?.record)).toEqual([1]);
    expect(textOf(`${file}.journal`)).not.toContain('"7"');
  });

  test('a file that breaks meanwhile is told of once, and what was known stays known', async () => {
    const file = newFile();
    await filled(file, 1);
    await open(file);
    const reader = await open(file);
    writeFileSync(file, '{');
    reader.follow?.();
    reader.follow?.();
    expect(reader.notices.slice(1)).toEqual([
      expect.stringMatching(/^what another process has learnt is not known here: .*state\.json:1:2: /),
    ]);
    expect(idsIn(reader.state.of(project(42))?.record)).toEqual([1]);
  });

  test('where there is no file yet, the first that learns something keeps it', async () => {
    const file = newFile();
    const [first, second] = [await open(file), await open(file)];
    learn(second, project(42), holding(1));
    learn(first, project(7), holding(1));
    learn(first, project(8), holding(1));
    expect(first.notices).toHaveLength(1);
    expect(second.notices).toEqual([]);
    await first.close();
    await second.close();
    expect(JSON.parse(textOf(file)).paths['/api/v2'].current.projects).toEqual({ 42: holding(1) });
  });

  test.each<[string, (state: KnownState) => void]>([
    ['is sent', (state) => state.send(project(42), holding(2)).rejected()],
    ['is read', (state) => state.read(project(42), false)(shown(holding(2)))],
  ])('what another has kept since the start is not lost when something %s', async (_, change) => {
    const file = newFile();
    const late = await open(file);
    const other = await open(file);
    learn(other, project(7), holding(7));
    learn(other, project(42), holding(1));
    await other.close();
    change(late.state);
    await turn();
    expect(late.state.of(project(7))?.record).toEqual(holding(7));
    expect(idsIn(late.state.of(project(42))?.record)).toEqual([1, 2]);
    expect(entriesOf(await open(await copyOf(file)))).toEqual(entriesOf(late));
  });
});

describe('trouble with the disk', () => {
  test.each([
    ['.patchgate', 'cannot take the lock'],
    ['.', 'cannot make the folder'],
  ])('fails nobody, is told once, and ends when writing works again: %s', async (below, message) => {
    const file = join(temporaryFolder(), 'x', '.patchgate', 'state.json');
    const obstacle = join(file, '..', '..', below);
    mkdirSync(dirname(obstacle), { recursive: true });
    writeFileSync(obstacle, 'an obstacle');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const kept = await open(file);
    learn(kept, project(42), holding(1));
    learn(kept, project(7), holding(1));
    expect(kept.trouble?.message).toContain(message);
    expect(kept.notices).toHaveLength(1);
    expect(kept.notices[0]).toContain('a restart would not know it');
    expect(kept.state.of(project(42))?.isWhole).toBe(true);
    rmSync(obstacle);
    await vi.advanceTimersByTimeAsync(1000);
    vi.useRealTimers();
    await expect.poll(() => kept.trouble).toBeUndefined();
    expect(kept.notices).toHaveLength(2);
    expect(kept.notices[1]).toContain('again');
    expect(entriesOf(await open(await copyOf(file)))).toEqual(entriesOf(kept));
  });

  test('a file that cannot be written leaves it in the journal, and says so', async () => {
    const file = newFile();
    const kept = await open(file);
    learn(kept, project(42), holding(1));
    mkdirSync(file);
    writeFileSync(join(file, 'obstacle'), '');
    await expect.poll(() => kept.trouble?.message).toContain(`cannot write ${file}`);
    expect(kept.notices).toHaveLength(1);
    expect(kept.notices[0]).toContain('Nothing is lost');
    rmSync(file, { recursive: true });
    expect(entriesOf(await open(await copyOf(file)))).toEqual(entriesOf(kept));
    await kept.close();
    expect(kept.trouble).toBeUndefined();
    expect(JSON.parse(textOf(file)).paths['/api/v2'].current.projects).toEqual({ 42: holding(1) });
  });

  test.each([
    ['removed', (folder: string) => rmSync(folder, { recursive: true })],
    ['moved away', (folder: string) => renameSync(folder, `${folder}.old`)],
  ])('a folder that was %s is made again, with all that is known', async (_, take) => {
    const file = newFile();
    await filled(file, 1);
    const kept = await open(file);
    learn(kept, project(8), holding(1));
    take(dirname(file));
    learn(kept, project(7), holding(1));
    expect(entriesOf(kept)).toHaveLength(3);
    expect(entriesOf(await open(await copyOf(file)))).toEqual(entriesOf(kept));
    await kept.close();
    expect(namesIn(file)).toEqual(['.gitignore', 'state.json']);
  });
});

describe('approvals', () => {
  const approval = (id: string, more: Partial<KeptApproval> = {}): KeptApproval => ({
    ...{
      id,
      status: 'pending',
      method: 'PATCH',
      url: '/accounts/current/projects/42',
      effects: [],
    },
    requestedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 600_000).toISOString(),
    marks: { token: `token of ${id}`, request: 'r', body: 'b', state: 's' },
    ...more,
  });
  const storeOf = ({ approvals }: KnownStore) => approvals as ApprovalStore;
  const keptBy = (kept: KnownStore) => [...storeOf(kept).kept];

  test('are in the journal at once, then in the file, as they were last', async () => {
    const file = newFile();
    const kept = await open(file);
    const [one, two] = [approval('one'), approval('two')];
    const used = { ...one, status: 'used' as const };
    for (const each of [one, two, used]) expect(storeOf(kept).keep(each)).toBe(true);
    expect(textOf(journalOf(file)).match(/\n/g)).toHaveLength(3);
    expect(keptBy(await open(await copyOf(file)))).toEqual([used, two]);
    await kept.close();
    expect(JSON.parse(textOf(file))).toEqual({ paths: {}, approvals: { one: used, two } });
    expect(keptBy(await open(file))).toEqual([used, two]);
  });

  test('that have expired are not in the file', async () => {
    const file = newFile();
    const kept = await open(file);
    const expiresAt = new Date(Date.now() - 1).toISOString();
    for (const one of [approval('over', { expiresAt }), approval('none', { expiresAt: 'never' })])
      storeOf(kept).keep(one);
    await kept.close();
    expect(JSON.parse(textOf(file)).approvals).toBeUndefined();
  });

  test('take no more room in the files than in memory', { tags: 'slow' }, async () => {
    const file = newFile();
    const kept = await open(file);
    const approvals = new FileApprovals({ lifetime: 600_000, store: storeOf(kept) });
    const url = 'u'.repeat(1024 * 1024);
    const subject = {
      method: 'PATCH',
      url,
      headers: [],
      body: Buffer.alloc(0),
      session: '',
      known: undefined,
    };
    for (let i = 0; i < 40; i++) {
      const { id } = await approvals.issue(subject, { method: 'PATCH', url, effects: [] });
      await approvals.decide(id, { decision: 'decline' });
    }
    const ids = (await approvals.list()).map(({ id }) => id).reverse();
    expect(ids.length).toBeLessThan(35);
    expect(keptBy(kept).map(({ id }) => id)).toEqual(ids);
    await kept.close();
    expect(Object.keys(JSON.parse(textOf(file)).approvals)).toEqual(ids);
  });

  test('are kept beside a file that was removed, with what is known', async () => {
    const file = newFile();
    const kept = await open(file);
    learn(kept, project(42), holding(1));
    const [one, two] = [approval('one'), approval('two')];
    storeOf(kept).keep(one);
    rmSync(dirname(file), { recursive: true });
    expect(storeOf(kept).keep(two)).toBe(true);
    const copy = await open(await copyOf(file));
    expect(keptBy(copy)).toEqual([one, two]);
    expect(entriesOf(copy)).toEqual(entriesOf(kept));
  });

  test('that cannot be written are told of, where a restart would know them as they were', async () => {
    const file = newFile();
    const kept = await open(file);
    storeOf(kept).keep(approval('one'));
    const full = () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    await withPatched({ writeSync: full }, async () => {
      expect(storeOf(kept).keep(approval('one', { status: 'used' }))).toBe(false);
      expect(storeOf(kept).keep(approval('two'))).toBe(true);
    });
    expect(kept.trouble?.message).toContain('no space left');
    expect(storeOf(kept).keep(approval('three'))).toBe(true);
    expect(keptBy(await open(await copyOf(file))).map(({ id, status }) => [id, status])).toEqual([
      ['one', 'used'],
      ['two', 'pending'],
      ['three', 'pending'],
    ]);
  });

  test('of another process are not taken', async () => {
    const file = newFile();
    const store = await open(file);
    storeOf(store).keep(approval('one'));
    const reader = await open(file);
    expect(keptBy(reader)).toEqual([]);
    storeOf(store).keep(approval('two'));
    reader.follow?.();
    expect(keptBy(reader)).toEqual([]);
    expect(storeOf(reader).keep(approval('three'))).toBe(true);
    expect(keptBy(await open(await copyOf(file))).map(({ id }) => id)).toEqual(['one', 'two']);
  });

  test('are none where nothing is kept', async () => {
    expect((await openKnownStore({ file: '', lag: 0, notice: () => undefined })).approvals).toBeUndefined();
  });
});

test('says once that there is no room for all', { tags: 'slow' }, async () => {
  const file = newFile();
  const kept = await open(file);
  const long = 'x'.repeat(12 * 1024 * 1024);
  for (const id of [1, 2, 3]) learn(kept, project(id), { ...holding(1), name: long });
  expect(kept.notices).toHaveLength(1);
  expect(kept.notices[0]).toContain('forgotten');
  expect(entriesOf(kept)).toHaveLength(2);
  await kept.close();
  const full = await open(file);
  expect(entriesOf(full).map(({ name }) => name.id)).toEqual(['2', '3']);
  await full.close();
  const state = JSON.parse(textOf(file));
  state.paths['/api/v2'].current.projects['4'] = state.paths['/api/v2'].current.projects['3'];
  writeFileSync(file, JSON.stringify(state));
  const fuller = await open(file);
  expect(fuller.notices).toEqual(kept.notices);
  expect(entriesOf(fuller).map(({ name }) => name.id)).toEqual(['3', '4']);
  await fuller.close();
  expect(Object.keys(JSON.parse(textOf(file)).paths['/api/v2'].current.projects)).toEqual(['3', '4']);
});

const name: fc.Arbitrary<RecordName> = fc.record({
  base: fc.constantFrom('', '/api/v2'),
  account: fc.constantFrom('current', '196', '200'),
  kind: fc.constantFrom<RecordKind>('project', 'project', 'feature'),
  id: fc.constantFrom('42', '7'),
});
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 });
const record = fc.record({ name: fc.constantFrom('A', 'B'), ids }).map(({ name, ids }) => ({
  name,
  languages: ['GO'],
  environments: ids.map((id) => ({ id, name: `E${id}`, isEnabled: false })),
  variables: ids.map((id) => ({ id, variableName: `v${id}`, dataType: 'string' })),
}));

type Step = (state: KnownState, onTheWay: Sent[]) => void;
const end: fc.Arbitrary<Step> = fc
  .tuple(fc.nat({ max: 3 }), fc.constantFrom('accepted', 'answered', 'rejected', 'unclear'), record)
  .map(([which, how, answer]) => (_, onTheWay) => {
    const [sent] = onTheWay.splice(which % Math.max(1, onTheWay.length), 1);
    if (how === 'answered') sent?.accepted(answer && shown(answer));
    else sent?.[how as 'accepted' | 'rejected' | 'unclear']();
  });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(name, fc.option(record, { nil: undefined })).map(
    ([of, body]): Step =>
      (state, onTheWay) => {
        onTheWay.push(state.send(of, body));
      },
  ),
  end,
  fc.tuple(name, fc.boolean(), record).map(
    ([of, isPart, seen]): Step =>
      (state) => {
        state.read(of, isPart)(shown(seen));
      },
  ),
  name.map(
    (of): Step =>
      (state) =>
        state.forget(of),
  ),
);
const reopen = fc.constantFrom('kill' as const, 'close' as const);

function openStore(file: string): FileKnownStore {
  const notice = (text: string) => {
    throw new Error(text);
  };
  const store = new FileKnownStore({ file, lag: 60_000, notice });
  store.open();
  return store;
}

const contents = ({ state }: FileKnownStore) =>
  new Map([...state.entries()].map(({ name, known }) => [JSON.stringify(name), known]));

test('whatever is learnt, and whenever it is opened again: what was known is known', {
  tags: 'slow',
}, async () => {
  const folder = temporaryFolder();
  let files = 0;
  const newFile = () => join(folder, String(++files), 'state.json');
  const parts = fc.array(fc.tuple(fc.array(step, { maxLength: 12 }), reopen), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(parts, async (all) => {
      let file = newFile();
      const opened = [openStore(file)];
      for (const [steps, how] of all) {
        const store = opened.at(-1) as FileKnownStore;
        const onTheWay: Sent[] = [];
        for (const step of steps) step(store.state, onTheWay);
        const known = contents(store);
        // What is learnt is in the journal before the answers of a turn go out.
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (how === 'close') await store.close();
        else {
          const copy = newFile();
          if (existsSync(dirname(file))) cpSync(dirname(file), dirname(copy), { recursive: true });
          rmSync(`${copy}.lock`, { force: true });
          file = copy;
        }
        opened.push(openStore(file));
        expect(contents(opened.at(-1) as FileKnownStore)).toEqual(known);
      }
      for (const store of opened) await store.close();
    }),
    { numRuns: 60 },
  );
});
