import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HIDDEN, LOCK } from '../../src/recordings/store/hidden-folder.ts';
import { fake, PatchgateError, proxy, replay } from '../../src/testing/index.ts';
import { contractFolder, FLAG_SCHEMA } from '../support/contract-folder.ts';
import { type ExchangeParts, exchange, PROJECT_PATH } from '../support/exchanges.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { filesBelow } from '../support/recordings.ts';
import { startTarget } from '../support/target.ts';
import { shouting } from '../support/team-rule.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const GET: ExchangeParts = { method: 'GET', path: '/x', requestHeaders: {}, answer: { json: 1 } };
const PROJECT = {
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'A', isEnabled: true }],
};

/** Options for a recording `demo` of these exchanges. */
function recorded(...exchanges: ExchangeParts[]) {
  const recordings = temporaryFolder();
  writeRecording(join(recordings, 'demo'), exchanges.map(exchange));
  return { recordings, recording: 'demo' };
}

/** What a command would keep of the service in this folder; that of other services may be there. */
const keptOf = ({ url }: { url: string }) =>
  existsSync('.patchgate')
    ? readdirSync('.patchgate').filter((name) => readFileSync(join('.patchgate', name), 'utf8').includes(url))
    : [];

/** The message of what it is refused with: it says what to do, too. */
async function refusedWith(start: Promise<unknown>): Promise<string> {
  const error = await start.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PatchgateError);
  const { message, hint } = error as PatchgateError;
  expect(message).toContain(`\n  ${hint}`);
  return message;
}

/** The same, whatever it is. */
const told = async (start: Promise<unknown>) => String(await start.catch((error: unknown) => error));

const patch = (url: string, body: unknown) =>
  fetch(url, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('replay', () => {
  it('answers from a recording on a free port, and shows what went by, oldest first', async () => {
    const options = recorded(GET, { ...GET, path: '/y' });
    await using gate = await replay(options);
    expect(gate.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(`${gate.url}/x`)).json()).toBe(1);
    await fetch(`${gate.url}/y`);
    expect(gate.exchanges().map(({ request }) => request.url)).toEqual(['/x', '/y']);
    expect(gate.exchanges({ limit: 1 }).map(({ request }) => request.url)).toEqual(['/y']);
    gate.assertNoMisses();
    await gate.assertAllServed();
    gate.reset();
    expect(gate.exchanges()).toEqual([]);
  });

  it('leaves nothing behind in the recording', async () => {
    const options = recorded(GET);
    const gate = await replay(options);
    await fetch(`${gate.url}/x`);
    await gate.close();
    expect(readdirSync(join(options.recordings, 'demo'))).toEqual(['x']);
  });

  it('refuses a misspelt name, with those that there are', async () => {
    const { recordings } = recorded(GET);
    writeRecording(join(recordings, 'other'), [exchange(GET)]);
    expect(await refusedWith(replay({ recordings, recording: 'dmeo' }))).toBe(
      `there is no recording "dmeo" in ${recordings}/ (there are: demo, other)\n  did you mean "demo"?`,
    );
    expect(await refusedWith(replay({ recordings: `${recordings}/none` }))).toMatch(
      /^there is no recording "default" in .*none\/ \(there is none in \/.*none\)\n {2}record it: PATCHGATE_RECORD=all /,
    );
    expect(await refusedWith(replay({ recordings, recording: '../demo' }))).toContain('has a slash');
  });

  it.each([
    [{ recordin: 'demo' }, 'unknown field "recordin" in the settings given\n  did you mean "recording"?'],
    [{ failonmiss: true }, 'did you mean "failOnMiss"?'],
    [{ port: 'x' }, 'invalid value "x" for the option port\n  it takes an integer'],
    [
      { config: 'nowhere.json' },
      'nowhere.json does not exist\n  check the path given with the option config or',
    ],
  ])('refuses an option that is wrong: %j', async (options, said) => {
    expect(await refusedWith(replay({ ...recorded(GET), ...options } as object))).toContain(said);
  });

  it.each([
    [
      'demo',
      'replay takes its options as an object, not "demo"\n  give them like replay({ recording: "demo" })',
    ],
    [
      null,
      "replay takes its options as an object, not null\n  give them like replay({ recording: 'checkout' })",
    ],
  ])('refuses what are no options: %j', async (options, said) => {
    expect(await refusedWith(replay(options as never))).toBe(said);
  });

  it('says a mistake once, in the words of the library', async () => {
    await using gate = await replay(recorded(GET));
    const error = await replay({ ...recorded(GET), port: Number(new URL(gate.url).port) }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      message: expect.stringContaining('choose another with the option port (0'),
    });
    const { cause } = (await replay({ recording: 'none' }).catch(
      (thrown: unknown) => thrown as Error,
    )) as Error;
    expect(cause).toBeUndefined();
  });

  it('moves into its files what a run recorded that did not close its gate', async () => {
    const target = await startTarget();
    const options = { recordings: temporaryFolder(), recording: 'demo', target: target.url };
    const notices: string[] = [];
    const notice = (text: string) => notices.push(text);
    const gate = await replay({ ...options, record: 'all' });
    await fetch(`${gate.url}/x`);
    const recording = join(options.recordings, 'demo');
    const journal = join(recording, HIDDEN, 'journal');
    const left = join(temporaryFolder(), 'left');
    cpSync(journal, left);
    // Where somebody records, it is theirs.
    await (await replay({ ...options, notice })).close();
    expect(notices.join()).not.toContain('is in its files now');
    await gate.close();
    rmSync(recording, { recursive: true });
    cpSync(left, journal);
    await using _ = await replay({ ...options, notice });
    expect(Object.keys(filesBelow(recording))).toEqual(['x/GET.json']);
    expect(notices.join()).toContain('is in its files now');
  });

  it('takes an option that is undefined for none', async () => {
    await using gate = await replay({ ...recorded(GET), port: undefined, target: undefined, log: undefined });
    expect(new URL(gate.url).port).not.toBe('4010');
  });
});

describe('at the start', () => {
  it("a contract of one's own that does not compile is refused", async () => {
    const contract = contractFolder({ 'put-flag.json': { ...FLAG_SCHEMA, type: 'objekt' } });
    expect(await told(replay({ ...recorded(GET), contract }))).toContain('the schema does not compile');
    const blind = contractFolder({ 'put-flag.json': { ...FLAG_SCHEMA, properties: {} } });
    expect(await told(fake({ contract: blind }))).toMatch(/does not compile|lets its canary pass/);
  });

  it("a rule of one's own that finds nothing is refused", async () => {
    const rule = { ...shouting(), check: () => [] };
    const customRules = { updateProject: [rule] };
    expect(await told(replay({ ...recorded(GET), customRules }))).toContain('lets its canary pass');
  });
});

describe('to record again', () => {
  it.each([
    ['the option', { record: 'all' as const }, undefined],
    ['the variable', {}, 'all'],
  ])(
    '%s makes a replay a proxy that records, with the guard on and nothing kept of what it learns',
    async (_, option, variable) => {
      vi.stubEnv('PATCHGATE_RECORD', variable);
      const target = await startTarget();
      const options = { ...recorded({ ...GET, answer: { json: 'old' } }), target: target.url, ...option };
      const gate = await replay(options);
      expect(await (await fetch(`${gate.url}/x`)).json()).toEqual({ ok: true });
      expect((await patch(gate.url + PROJECT_PATH, { ...PROJECT, environments: [] })).status).toBe(409);
      gate.assertNoMisses();
      await gate.assertAllServed();
      await gate.close();
      expect(target.received.map(({ method }) => method)).toEqual(['GET']);
      const files = filesBelow(join(options.recordings, 'demo'));
      expect(files['x/GET.json']).toContain('"ok": true');
      expect(keptOf(target)).toEqual([]);
    },
  );

  it('tells at the end of what was stopped or failed, of which nothing is recorded, with the way out', async () => {
    const target = await startTarget();
    const notices: string[] = [];
    const options = {
      ...{ recordings: temporaryFolder(), recording: 'new', record: 'all' as const, target: target.url },
      notice: (text: string) => notices.push(text),
    };
    const gate = await replay(options);
    await patch(gate.url + PROJECT_PATH, PROJECT);
    await patch(gate.url + PROJECT_PATH, {
      ...PROJECT,
      environments: [{ ...PROJECT.environments[0], id: 2 }],
    });
    await target.close();
    await fetch(`${gate.url}/x`);
    await gate.close();
    expect(notices.join('\n')).toMatch(
      /PATCH \S+ with 409: .*\n {2}where it is meant to go: record it anew with PATCHGATE_ALLOW_DELETE='A', or with PATCHGATE_GUARD=off\n.*GET \/x with 502/,
    );
  });

  it('tells at the end how much was recorded, and of no request at all', async () => {
    const target = await startTarget();
    const notices: string[] = [];
    const options = {
      ...{ recordings: temporaryFolder(), recording: 'new', target: target.url },
      notice: (text: string) => notices.push(text),
    };
    const recorder = await replay({ ...options, record: 'all' });
    for (const path of ['/a', '/b', '/b']) await fetch(recorder.url + path);
    await recorder.close();
    expect(notices.splice(0)).toEqual([`recorded 3 exchanges in ${join(options.recordings, 'new')}`]);
    const idle = await replay(options);
    await idle.close();
    expect(notices).toEqual([`no request came to the gate: its client must ask ${idle.url}`]);
  });

  it('tells at the end of what the gate blocked', async () => {
    const notices: string[] = [];
    const options = { ...recorded(GET), notice: (text: string) => notices.push(text) };
    const gate = await replay(options);
    await patch(gate.url + PROJECT_PATH, {});
    await gate.close();
    const says = /^the gate answered PATCH \S+ with 422: schema.required: /;
    expect(notices).toEqual([expect.stringMatching(says)]);
  });

  it('tells of a test that is tried again: what is recorded begins with the try that failed', async ({
    task,
  }) => {
    const target = await startTarget();
    const notices: string[] = [];
    const options = { recordings: temporaryFolder(), recording: 'new', record: 'all' as const };
    const notice = (text: string) => notices.push(text);
    const recorder = await replay({ ...options, target: target.url, notice });
    recorder.session(task);
    recorder.session({ ...task, result: { retryCount: 1 } } as typeof task);
    recorder.session('another');
    await recorder.close();
    expect(notices.filter((text) => text.startsWith('the test of the session'))).toEqual([
      expect.stringMatching(/"start-to-record-again-tells-of-.*: record that test anew$/),
    ]);
  });

  it('stays where it began, whatever a test makes the working folder', async () => {
    const target = await startTarget();
    const [folder, other, before] = [temporaryFolder(), temporaryFolder(), process.cwd()];
    try {
      process.chdir(folder);
      const options = { recordings: 'recordings', recording: 'new' };
      const recorder = await replay({ ...options, record: 'all', target: target.url });
      await fetch(`${recorder.url}/a`);
      process.chdir(other);
      await fetch(`${recorder.url}/b`);
      await recorder.close();
      process.chdir(folder);
      await using gate = await replay(options);
      process.chdir(other);
      expect(
        [await fetch(`${gate.url}/a`), await fetch(`${gate.url}/b`)].map(({ status }) => status),
      ).toEqual([200, 200]);
      expect(filesBelow(other)).toEqual({});
    } finally {
      process.chdir(before);
    }
  });

  it('needs a target', async () => {
    vi.stubEnv('PATCHGATE_RECORD', 'new_episodes');
    expect(await refusedWith(replay(recorded(GET)))).toBe(
      'PATCHGATE_RECORD is "new_episodes", and there is no target to record from\n  ' +
        "give one: replay({ target: 'https://staging.example.com/api/v2' }), or PATCHGATE_TARGET",
    );
  });

  it('once needs none where there is a recording, and records where there is none', async () => {
    vi.stubEnv('CI', '');
    const target = await startTarget();
    const options = { ...recorded(GET), record: 'once' as const };
    const gate = await replay(options);
    expect(await (await fetch(`${gate.url}/x`)).json()).toBe(1);
    await gate.close();
    const first = await replay({ ...options, recording: 'new', target: target.url });
    expect(await (await fetch(`${first.url}/x`)).json()).toEqual({ ok: true });
    await first.close();
    expect(Object.keys(filesBelow(join(options.recordings, 'new')))).toContain('x/GET.json');
  });

  it('once on a CI machine only replays', async () => {
    vi.stubEnv('CI', 'true');
    const notices: string[] = [];
    const options = { ...recorded(GET), record: 'once' as const, target: 'http://127.0.0.1:9' };
    const said = await refusedWith(
      replay({ ...options, recording: 'new', notice: (text) => notices.push(text) }),
    );
    expect(said).toContain('there is no recording "new"');
    expect(notices.join()).toContain('CI is set: the option record once replays only');
    await using _ = await replay({ ...options, notice: (text) => notices.push(text) });
    expect(notices).toHaveLength(1);
  });

  it('two gates into one recording is an error that says what to do', async () => {
    const target = await startTarget();
    const options = { ...recorded(GET), record: 'all' as const, target: target.url };
    await using _ = await replay(options);
    expect(await refusedWith(replay(options))).toMatch(
      /is in use: this process has been recording into it since .*; one gate at a time records into "demo"\n {2}give each test or file a recording of its own, as recordingName\(test\) names them, .*: vitest run --no-file-parallelism, jest --runInBand$/,
    );
  });

  it('within exec, which records into the same one, is an error that says so', async () => {
    const target = await startTarget();
    const options = { ...recorded(GET), record: 'all' as const, target: target.url };
    await using _ = await replay(options);
    vi.stubEnv('PATCHGATE_URL', 'http://127.0.0.1:9');
    // This process holds it, and no other.
    expect(await refusedWith(replay(options))).toContain('give each test or file a recording of its own');
    const lock = join(options.recordings, 'demo', HIDDEN, LOCK);
    const held = JSON.parse(readFileSync(lock, 'utf8'));
    writeFileSync(lock, JSON.stringify({ ...held, pid: process.ppid, processStart: undefined }));
    expect(await refusedWith(replay(options))).toMatch(
      /process \d+ has been .*; that is most likely the patchgate exec within which this test runs \(PATCHGATE_URL is set\): it records into "demo" already\n {2}run this test without patchgate exec, or start no gate in it and let its client use PATCHGATE_URL \(http:\/\/127\.0\.0\.1:9\)$/,
    );
    writeFileSync(lock, JSON.stringify(held));
  });

  it("a config file's mode is for the command", async () => {
    const options = recorded(GET);
    const config = join(options.recordings, 'patchgate.config.json');
    writeFileSync(config, '{"record": "all", "target": "http://127.0.0.1:9"}');
    await using gate = await replay({ ...options, config });
    expect(await (await fetch(`${gate.url}/x`)).json()).toBe(1);
  });
});

describe('proxy', () => {
  it('needs a target', async () => {
    expect(await refusedWith(proxy())).toContain("proxy({ target: 'https://");
  });

  it('judges what it forwards, and keeps what it learns in memory', async () => {
    const target = await startTarget();
    const gate = await proxy({ target: target.url });
    expect((await patch(gate.url + PROJECT_PATH, { name: 'x' })).status).toBe(422);
    expect((await patch(gate.url + PROJECT_PATH, PROJECT)).status).toBe(200);
    expect(gate.exchanges({ outcome: 'block' })).toHaveLength(1);
    await gate.close();
    expect(keptOf(target)).toEqual([]);
    expect(target.received).toHaveLength(1);
  });
});

describe('fake', () => {
  it('starts with the records of the program, and shows them', async () => {
    // As teams have it, without an index signature.
    interface Project {
      name: string;
      languages: string[];
      environments: { id: number; name: string; isEnabled: boolean }[];
    }
    const project: Project = { ...PROJECT };
    const seed = { accounts: { current: { projects: { 7: project } } } };
    await using gate = await fake({ seed });
    const url = `${gate.url}/api/v2/accounts/current/projects/7`;
    expect(await (await fetch(url)).json()).toEqual(PROJECT);
    await patch(url, { ...PROJECT, name: 'Other' });
    expect(gate.record('project', 7)).toEqual({ ...PROJECT, name: 'Other' });
    expect(gate.record('project', 8)).toBeUndefined();
    expect(seed.accounts.current.projects[7].name).toBe('Checkout');
    gate.reset();
    expect(gate.record('project', '7', 'current')).toEqual(PROJECT);
  });

  it('has the records of each session, which can be set', async () => {
    await using gate = await fake();
    const session = gate.session('a');
    const record = { ...PROJECT, name: 'Mine' };
    session.setRecord('project', 43, record);
    record.name = 'changed later';
    const at = (base: string) => fetch(`${base}/api/v2/accounts/current/projects/43`);
    expect(await (await at(session.url)).json()).toMatchObject({ name: 'Mine' });
    expect((await at(gate.url)).status).toBe(404);
    expect(session.record('project', 43)).toMatchObject({ name: 'Mine' });
    (session.record('project', 43) as { name: string }).name = 'changed';
    expect(session.record('project', 43)).toMatchObject({ name: 'Mine' });
    session.reset();
    expect(session.record('project', 43)).toBeUndefined();
  });

  it('says what is no record', async () => {
    await using gate = await fake();
    expect(() => gate.record('projekt' as never, 1)).toThrow(
      'there is no kind of record "projekt"\n  kinds: project',
    );
    expect(() => gate.record('project', '042')).toThrow('"042" is no id\n');
    expect(() => gate.record('project', 1, 'x')).toThrow('"x" names no account\n');
    expect(() => gate.setRecord('project', 1, [])).toThrow('what is to be project 1 is no object\n');
    await expect(gate.assertAllServed()).rejects.toThrow('no recording answers here');
    expect(await refusedWith(fake({ seed: { acounts: {} } as never }))).toContain('unknown field "acounts"');
  });
});

describe('a gate that no test closes', () => {
  /** Without a listener, it ends the process. */
  const keepOn = () => undefined;
  afterEach(() => {
    process.off('SIGTERM', keepOn);
  });

  it('is closed and told where the process is told to end, as vitest does', async () => {
    process.on('SIGTERM', keepOn);
    const listeners = process.listenerCount('SIGTERM');
    const notices: string[] = [];
    const gate = await fake({ notice: (text) => notices.push(text) });
    expect((await fetch(`${gate.url}/api/v2/accounts/current/projects/42`)).status).toBe(200);
    process.emit('SIGTERM');
    await gate.close();
    expect(notices).toEqual([
      'no test has closed 1 gate: await gate.close() in afterAll, or at the end of the test',
    ]);
    await expect(fetch(gate.url)).rejects.toThrow('fetch failed');
    expect(process.listenerCount('SIGTERM')).toBe(listeners);
  });
});
