import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { runCommandLine } from '../../src/commands/command-line.ts';
import { type PlanArgs, runPlan } from '../../src/commands/plan/run-plan.ts';
import { type Given as GivenSource, sourceOf } from '../../src/commands/plan/source.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { laterRefusal, refusal } from '../support/errors.ts';
import { exchange } from '../support/exchanges.ts';
import { checkOverrides } from '../support/extras.ts';
import { gate, type TestGateOptions } from '../support/gate.ts';
import { recordAll, textOutput } from '../support/recordings.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PRODUCTION = { id: 1, name: 'Production', isEnabled: true };
const STAGING = { id: 2, name: 'Staging', isEnabled: false };
const PROJECT = { name: 'Checkout', languages: ['NODEJS', 'GO'], environments: [PRODUCTION, STAGING] };
const WITHOUT_STAGING = { ...PROJECT, environments: [PRODUCTION] };
const STAGING_DELETED = { kind: 'environment-deleted', id: 2, name: 'Staging' };

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'patchgate-plan-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true });
});

const at = (file: string) => join(cwd, file);
const write = (file: string, content: unknown) =>
  writeFileSync(at(file), typeof content === 'string' ? content : JSON.stringify(content));
const stateFile = (projects: Record<string, unknown>, account = 'current', more = {}) =>
  write('state.json', {
    formatVersion: 1,
    records: Object.fromEntries(
      Object.entries(projects).map(([id, record]) => [`project ${id}`, { account, record, ...more }]),
    ),
    approvals: {},
  });

interface Given extends Partial<PlanArgs> {
  stdin?: string;
  gateOptions?: TestGateOptions;
}

/** `plan body.json --project 42 --state state.json --format json`, where nothing else is said. */
async function plan({ stdin = '', gateOptions, ...args }: Given = {}) {
  const output = textOutput();
  const said: string[] = [];
  const exitCode = await runPlan(
    {
      body: 'body.json',
      project: '42',
      basePath: '',
      source: { kind: 'state', file: at('state.json'), mustExist: false },
      target: { timeout: 5000, targetCa: undefined, targetInsecure: false, setHeader: [] },
      format: 'json',
      isColoured: false,
      writeFull: undefined,
      now: Date.now(),
      ...args,
    },
    {
      output,
      say: (text) => said.push(text),
      stdin: (async function* () {
        yield Buffer.from(stdin);
      })(),
      cwd,
    },
    () => gate(gateOptions),
  );
  return { exitCode, output: output.text, said };
}

async function planned(given: Given = {}) {
  const { exitCode, output, said } = await plan(given);
  return { exitCode, said, ...(JSON.parse(output) as JsonObject) };
}

describe('the exit code', () => {
  it('is 0 where no environment is lost', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', { ...PROJECT, languages: ['GO'] });
    expect(await planned()).toEqual({
      exitCode: 0,
      said: [],
      known: true,
      effects: [{ kind: 'language-removed', name: 'NODEJS' }],
    });
  });

  it('is 3 where one is deleted', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', WITHOUT_STAGING);
    expect(await planned()).toEqual({
      exitCode: 3,
      said: [],
      known: true,
      effects: [STAGING_DELETED],
      corrected: PROJECT,
    });
  });

  it('counts and keeps all of many', async () => {
    const environments = Array.from({ length: 150 }, (_, i) => ({ ...STAGING, id: i + 1, name: `e${i}` }));
    stateFile({ 42: { ...PROJECT, environments } });
    write('body.json', WITHOUT_STAGING);
    const { effects, corrected } = (await planned()) as JsonObject;
    expect((effects as JsonObject[]).filter(({ kind }) => kind === 'environment-deleted')).toHaveLength(149);
    expect((corrected as typeof PROJECT).environments).toHaveLength(150);
    expect((await plan({ format: 'text' })).output).toContain('Plan: 149 to delete');
  });

  it('is 3 where one is replaced', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', { ...PROJECT, environments: [PRODUCTION, { ...STAGING, id: 7 }] });
    expect(await planned()).toMatchObject({
      exitCode: 3,
      effects: [{ kind: 'environment-replaced', id: 2, name: 'Staging', newId: 7 }],
      corrected: PROJECT,
    });
  });

  it('is 0 where those that are lost may go', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', WITHOUT_STAGING);
    const { exitCode, ...shown } = await planned({ gateOptions: { allowDelete: ['Stag*'] } });
    expect(exitCode).toBe(0);
    expect(shown).toMatchObject({ effects: [{ ...STAGING_DELETED, allowed: true }] });
    expect(shown).not.toHaveProperty('corrected');
  });

  it('is 2 where nothing is known, with the reason and what to do', async () => {
    stateFile({ 41: PROJECT });
    write('body.json', WITHOUT_STAGING);
    const { said, ...shown } = await planned();
    expect(shown).toEqual({ exitCode: 2, known: false, effects: [] });
    expect(said.join()).toMatch(/nothing is known of project 42 in .*state\.json.*\n {2}.*--from-target/);
  });

  it('is 2 where there is no state, and none was named', async () => {
    write('body.json', WITHOUT_STAGING);
    const { exitCode, output } = await plan({ format: 'text' });
    expect(exitCode).toBe(2);
    expect(output).toContain('state.json, which does not exist');
  });

  it('is 2 where only a part is known and nothing of that is lost, 3 where something is', async () => {
    stateFile({ 42: PROJECT }, 'current', { isPart: true });
    write('body.json', PROJECT);
    expect(await planned()).toMatchObject({ exitCode: 2, known: false, effects: [] });
    write('body.json', WITHOUT_STAGING);
    expect(await planned()).toMatchObject({ exitCode: 3, known: false, effects: [STAGING_DELETED] });
  });
});

describe('the body', () => {
  it('is read from standard input', async () => {
    stateFile({ 42: PROJECT });
    const { exitCode, output } = await plan({
      body: '-',
      stdin: JSON.stringify(WITHOUT_STAGING),
      format: 'text',
    });
    expect(exitCode).toBe(3);
    expect(output).toContain('environment 2 "Staging" will be deleted');
  });

  it.each([
    ['{\n"name": }', 'body.json:2:9: the body is no JSON'],
    ['', 'body.json:1:1: the body is no JSON'],
    ['{"name": "a",\n "name": "b", "languages": [], "environments": []}', 'body.json:2:2: '],
    ['\ufeff{}', 'body.json:1:1: '],
  ])('that readers could understand differently is not planned: %j', async (body, message) => {
    stateFile({ 42: PROJECT });
    write('body.json', body);
    expect(await laterRefusal('bad-input', plan())).toContain(message);
  });

  it.each(['off', 'warn'] as const)(
    'is read so where the rule for it says %s: the guard does not let it pass either',
    async (severity) => {
      stateFile({ 42: PROJECT });
      write('body.json', '{"environments": [], "environments": [], "name": "a", "languages": []}');
      const gateOptions = { severities: { 'request.duplicate-key': severity } };
      expect(await laterRefusal('bad-input', plan({ gateOptions }))).toContain(
        'body.json:1:22: /environments',
      );
    },
  );

  it('that the gate would block has its effects all the same, and the reasons', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', { environments: [PRODUCTION, STAGING], name: 7 });
    expect(await planned()).toMatchObject({
      exitCode: 0,
      known: true,
      effects: [],
      findings: [
        { rule: 'schema.required', pointer: '/languages', severity: 'error', line: 1 },
        { rule: 'schema.type', pointer: '/name' },
      ],
    });
  });

  it('without a list of environments loses them all', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', { name: 'Checkout' });
    const { exitCode, ...shown } = await planned();
    expect(exitCode).toBe(3);
    expect(shown).toMatchObject({ effects: [{ id: 1 }, { id: 2 }], corrected: PROJECT });
  });

  it('is not blocked for what it loses: that is no reason of its own', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', { ...PROJECT, environments: [] });
    const { output } = await plan();
    expect(JSON.parse(output)).not.toHaveProperty('findings');
  });

  it('that is missing, too large or a recording is refused', async () => {
    stateFile({ 42: PROJECT });
    expect(await laterRefusal('bad-input', plan())).toContain('body.json');
    write('body.json', PROJECT);
    expect(await laterRefusal('bad-input', plan({ gateOptions: { bodyLimit: 10 } }))).toContain('10 bytes');
    write('body.json', '{"formatVersion": 1, "exchanges": []}');
    expect(await laterRefusal('bad-input', plan())).toContain('a file of a recording');
  });
});

describe('a state file', () => {
  it('that was named must be there', async () => {
    write('body.json', PROJECT);
    const source = { kind: 'state', file: at('other.json'), mustExist: true } as const;
    expect(await laterRefusal('bad-input', plan({ source }))).toMatch(/other\.json: it does not exist/);
  });

  it('that is broken is told with its place', async () => {
    write('body.json', PROJECT);
    write('state.json', '{"formatVersion": 1, "records": {"project 42": 7}, "approvals": {}}');
    expect(await laterRefusal('bad-input', plan())).toMatch(
      /invalid value 7 for records\["project 42"\] in .*state\.json:1:/,
    );
  });

  it('says how old it is, and what it is about', async () => {
    write('body.json', PROJECT);
    write('state.json', {
      ...{ formatVersion: 1, target: 'https://staging.example.com', approvals: {} },
      records: { 'project 42': { account: 'current', record: PROJECT } },
    });
    utimesSync(at('state.json'), 3600, 3600);
    const { output } = await plan({ format: 'text', now: 4 * 3_600_000 });
    expect(output).toContain('(written 3h ago, about https://staging.example.com)');
  });

  it('holds current under whichever account', async () => {
    write('body.json', WITHOUT_STAGING);
    stateFile({ 42: PROJECT }, '7');
    expect(await planned()).toMatchObject({ exitCode: 3 });
  });
});

describe('a recording', () => {
  const folder = () => at('recordings');
  const source = () => ({ kind: 'recording', folder: folder(), name: 'checkout' }) as const;
  const json = (body: JsonObject) => ({ json: body });
  const minute = (n: number) => `2026-11-20T12:0${n}:00.000Z`;

  it('says what its exchanges leave, in the order of recording', async () => {
    write('body.json', WITHOUT_STAGING);
    await recordAll(folder(), 'checkout', [
      exchange({ body: json(WITHOUT_STAGING), recordedAt: minute(1) }),
      exchange({ body: json(PROJECT), recordedAt: minute(2) }),
      exchange({ body: json(WITHOUT_STAGING), status: 422, recordedAt: minute(3) }),
    ]);
    expect(await planned({ source: source() })).toMatchObject({ exitCode: 3, effects: [STAGING_DELETED] });
  });

  it('knows nothing of a project that it deletes or does not hold', async () => {
    write('body.json', WITHOUT_STAGING);
    await recordAll(folder(), 'checkout', [
      exchange({ body: json(PROJECT), recordedAt: minute(1) }),
      exchange({ method: 'DELETE', status: 204, recordedAt: minute(2) }),
    ]);
    const { said, ...shown } = await planned({ source: source() });
    expect(shown).toMatchObject({ exitCode: 2, known: false, effects: [] });
    expect(said.join()).toContain('in the recording checkout');
  });

  it('must be there', async () => {
    write('body.json', PROJECT);
    await recordAll(folder(), 'chekout', [exchange({ body: json(PROJECT) })]);
    expect(await laterRefusal('bad-usage', plan({ source: source() }))).toContain('did you mean "chekout"?');
  });
});

it('the service is asked for the project', async () => {
  write('body.json', WITHOUT_STAGING);
  const target = await startTarget((_req, res) => res.end(JSON.stringify({ _data: PROJECT })));
  const source = { kind: 'target', url: `${target.url}/api/v2`, headers: ['Token', 'abc'] } as const;
  expect(await planned({ source })).toMatchObject({ exitCode: 3, effects: [STAGING_DELETED] });
  expect(await planned({ source, basePath: '/api/v2' })).toMatchObject({
    exitCode: 3,
  });
  expect(target.received.map(({ method, url, headers }) => [method, url, headers.token])).toEqual([
    ['GET', '/api/v2/accounts/current/projects/42', 'abc'],
    ['GET', '/api/v2/accounts/current/projects/42', 'abc'],
  ]);
});

it('nobody is asked about a body that cannot be read', async () => {
  write('body.json', '{');
  const target = await startTarget();
  const source = { kind: 'target', url: target.url, headers: [] } as const;
  await laterRefusal('bad-input', plan({ source }));
  expect(target.received).toEqual([]);
});

describe('--write-full', () => {
  const full = () => readFileSync(at('full.json'), 'utf8');
  const writeFull = 'full.json';

  it('writes the corrected body, and says so', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', WITHOUT_STAGING);
    const { exitCode, said } = await planned({ writeFull });
    expect(exitCode).toBe(3);
    expect(said).toEqual(['wrote full.json: the body that loses no environment']);
    expect(full()).toBe(`${JSON.stringify(PROJECT, null, 2)}\n`);
  });

  it("takes the body's own file, which then loses nothing", async () => {
    stateFile({ 42: PROJECT });
    write('body.json', WITHOUT_STAGING);
    expect((await plan({ writeFull: 'body.json' })).exitCode).toBe(3);
    expect(await planned()).toMatchObject({ exitCode: 0, effects: [] });
    expect(readdirSync(cwd).sort()).toEqual(['body.json', 'state.json']);
  });

  it('completes a body that loses nothing, and writes a whole one as it stands', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', { name: 'Shop', environments: [STAGING, PRODUCTION] });
    expect(await planned({ writeFull })).toMatchObject({
      exitCode: 0,
      said: ['wrote full.json: the body in full'],
    });
    const { languages } = PROJECT;
    expect(JSON.parse(full())).toEqual({ name: 'Shop', environments: [STAGING, PRODUCTION], languages });
    const whole = { ...PROJECT, owner: 'me', languages: [] };
    write('body.json', whole);
    await plan({ writeFull });
    expect(full()).toBe(`${JSON.stringify(whole, null, 2)}\n`);
  });

  it('says so where the service may hold more than it writes', async () => {
    stateFile({ 42: PROJECT }, 'current', { isPart: true });
    write('body.json', WITHOUT_STAGING);
    const { said } = await planned({ writeFull });
    expect(said).toContain('wrote full.json: the body that loses no environment that is known');
    expect(JSON.parse(full())).toEqual(PROJECT);
  });

  it('writes nothing where nobody can tell', async () => {
    stateFile({});
    write('body.json', PROJECT);
    const { exitCode, said } = await planned({ writeFull });
    expect(exitCode).toBe(2);
    expect(said.at(-1)).toMatch(/^full\.json was not written/);
    expect(readdirSync(cwd).sort()).toEqual(['body.json', 'state.json']);
  });

  it('writes nothing that would be another number', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', `{"x": [12345678901234567890], ${JSON.stringify(PROJECT).slice(1)}`);
    expect(await laterRefusal('bad-input', plan({ writeFull }))).toContain('full.json was not written');
    expect(readdirSync(cwd).sort()).toEqual(['body.json', 'state.json']);
  });

  it('leaves what stands there as it is where it cannot write', async () => {
    stateFile({ 42: PROJECT });
    write('body.json', WITHOUT_STAGING);
    expect(await laterRefusal('cannot-write', plan({ writeFull: 'body.json/full.json' }))).toContain(
      'full.json',
    );
    expect(await laterRefusal('bad-usage', plan({ writeFull: '-' }))).toContain('corrected');
    expect(await laterRefusal('bad-usage', plan({ writeFull: '' }))).toContain('an empty name');
  });
});

it.each(['0', '-5', '2147483647', '-2147483648'])('%j is one', async (project) => {
  stateFile({ [project]: PROJECT });
  write('body.json', PROJECT);
  expect((await plan({ project })).exitCode).toBe(0);
});

it('what is quoted of a body or a file name does not steer the terminal', async () => {
  write('body.json', '{"\u009b2J": 1, "\u009b2J": 2}');
  expect(await laterRefusal('bad-input', plan())).not.toMatch(/\p{Cc}/u);
});

it.each(['', '042', '4.2', '1e3', '2147483648', '-2147483649', 'x', '4 2'])(
  '%j is no id of a project',
  async (project) => {
    write('body.json', PROJECT);
    expect(await laterRefusal('bad-usage', plan({ project }))).toContain('--project 42');
  },
);

it('the body is judged with the severities of its file and its path', async () => {
  const rules = { 'schema.unknown-field': 'error' };
  const written = [
    { files: 'strict/**', rules },
    { paths: '**/projects/7', rules },
  ];
  const overrides = await checkOverrides(written, { where: 'the config', folder: cwd });
  mkdirSync(at('strict'));
  stateFile({ 42: PROJECT, 7: PROJECT });
  for (const file of ['strict/a.json', 'a.json']) write(file, { ...PROJECT, owner: 1 });
  const found = async (body: string, project: string) =>
    ((await planned({ body, project, gateOptions: { overrides } })) as JsonObject).findings;
  const error = expect.objectContaining({ rule: 'schema.unknown-field', pointer: '/owner' });
  expect(await found('strict/a.json', '42')).toEqual([error]);
  expect(await found('a.json', '42')).toBeUndefined();
  expect(await found('a.json', '7')).toEqual([error]);
});

describe('the command', () => {
  const PRODUCTION = { id: 1, name: 'Production', isEnabled: true };
  const PROJECT = { name: 'Checkout', languages: ['GO'], environments: [PRODUCTION] };
  const EMPTY = { ...PROJECT, environments: [] };

  let folder: string;
  let body: string;
  let state: string;
  beforeEach(() => {
    folder = temporaryFolder();
    body = join(folder, 'body.json');
    state = join(folder, 'state.json');
    writeFileSync(body, JSON.stringify(EMPTY));
    writeFileSync(
      state,
      JSON.stringify({
        formatVersion: 1,
        records: { 'project 42': { account: '7', record: PROJECT } },
        approvals: {},
      }),
    );
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  });

  /** The exit code and what was written. */
  async function run(...args: string[]) {
    const written = { stdout: '', stderr: '' };
    const listeners = process.stdout.listeners('error');
    for (const name of ['stdout', 'stderr'] as const) {
      vi.spyOn(process[name], 'write').mockImplementation(((text: string, done?: () => void) => {
        written[name] += text;
        done?.();
        return true;
      }) as typeof process.stdout.write);
    }
    try {
      await runCommandLine(['plan', ...args]);
      return { exitCode: process.exitCode, ...written };
    } finally {
      vi.restoreAllMocks();
      // A process has one command, and ends with it.
      for (const listener of process.stdout.listeners('error'))
        if (!listeners.includes(listener)) process.stdout.off('error', listener as () => void);
    }
  }

  test('tells the effects, by its exit code too', async () => {
    const { exitCode, stdout, stderr } = await run(body, '--project', '42', '--state', state);
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: '' });
    expect(stdout).toMatch(/^Project 42 "Checkout".*\n\n {4}- environment 1 "Production" will be deleted/);
  });

  test('counts what may go: --allow-delete', async () => {
    const ask = async (...args: string[]) =>
      (await run(body, '--project', '42', '--state', state, ...args)).exitCode;
    expect(await ask()).toBe(3);
    expect(await ask('--allow-delete', 'Prod*')).toBe(0);
  });

  test('the environment says as little of it as a proxy that is not guarded or validated', async () => {
    vi.stubEnv('PATCHGATE_VALIDATION', 'off');
    vi.stubEnv('PATCHGATE_GUARD', 'off');
    vi.stubEnv('PATCHGATE_TARGET', 'http://127.0.0.1:9/accounts/current');
    vi.stubEnv('PATCHGATE_RECORDING', 'checkout');
    vi.stubEnv('PATCHGATE_BASE_PATH', '/api/v2/');
    writeFileSync(body, '{"name": "Checkout", "environments": []}');
    const { exitCode, stdout } = await run(body, '--project', '42', '--state', state, '--format', 'json');
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ known: true, findings: [{ rule: 'schema.required' }] });

    const config = join(folder, 'config.json');
    writeFileSync(config, '{"overrides": [{"rules": {"request.duplicate-key": "off"}}]}');
    writeFileSync(body, '{"environments": [], "environments": [{"id": 1}]}');
    const twice = run(body, '--project', '42', '--state', state, '--config', config);
    expect(await laterRefusal('bad-input', twice)).toContain('second time');
  });

  test('what is known may come from a setting', async () => {
    vi.stubEnv('PATCHGATE_STATE', state);
    expect((await run(body, '--project', '42')).exitCode).toBe(3);
    const refused = run(body, '--project', '42', '--no-state');
    expect(await laterRefusal('bad-usage', refused)).toContain('nothing says');
  });

  test('asks the service with the headers given', async () => {
    const target = await startTarget((_req, res) => res.end(JSON.stringify(PROJECT)));
    const args = ['--from-target', target.url, '--header', 'Authorization: Bearer a', '--header', 'X-A: 1'];
    const { exitCode, stdout } = await run(body, '--project', '42', ...args);
    expect(exitCode).toBe(3);
    expect(stdout).toContain(`as known from ${target.url}`);
    expect(stdout).not.toContain('Bearer');
    expect(target.received).toHaveLength(1);
    expect(target.received[0]?.headers).toMatchObject({ authorization: 'Bearer a', 'x-a': '1' });
  });

  test('writes the corrected body', async () => {
    const { stderr } = await run(body, '--project', '42', '--state', state, '--write-full', body);
    expect(stderr).toContain(`wrote ${body}`);
    expect(JSON.parse(readFileSync(body, 'utf8'))).toEqual(PROJECT);
  });

  test('has colours where they are forced', async () => {
    vi.stubEnv('FORCE_COLOR', '1');
    expect((await run(body, '--project', '42', '--state', state)).stdout).toContain('\u001b[31m');
  });

  test('a recording of all recordings', async () => {
    mkdirSync(join(folder, 'recordings', 'checkout'), { recursive: true });
    const args = ['--recordings', join(folder, 'recordings'), '--recording', 'checkout'];
    const { exitCode, stdout } = await run(body, '--project', '42', ...args);
    expect(exitCode).toBe(2);
    expect(stdout).toContain('Nothing is known of project 42 in the recording checkout');
  });

  test.each([
    ['--project', '42', '--project', '43'],
    ['--project', '42', '--write-full', 'a', '--write-full', 'b'],
    ['--project', '42', '--from-target', 'http://a', '--from-target', 'http://b'],
    ['--project', 'x'],
    ['--project', '42', '--header', 'A: b'],
  ])('%s %s %s %s: bad usage', async (...args) => {
    await laterRefusal('bad-usage', run(body, '--state', state, ...args));
  });

  test.each([
    [['--project']],
    [[]],
    [['--project', '42', '--validation', 'off']],
    [['--project', '42', '--format', 'xml']],
  ])('%j is refused', async (args) => {
    await expect(run(body, ...args)).rejects.toThrow();
  });

  test('shows no secret, and writes the body as it is to be sent', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const name = { ...PROJECT, name: secret, environments: [{ ...PRODUCTION, name: `ci ${secret}` }] };
    writeFileSync(
      state,
      JSON.stringify({
        formatVersion: 1,
        records: { 'project 42': { account: '7', record: name } },
        approvals: {},
      }),
    );
    const full = join(folder, 'full.json');
    for (const format of ['text', 'json']) {
      const args = ['--state', state, '--format', format, '--write-full', full];
      const { stdout, stderr } = await run(body, '--project', '42', ...args);
      expect(stdout).toContain('ci [redacted]');
      expect(stdout + stderr).not.toContain(secret);
    }
    expect(readFileSync(full, 'utf8')).toContain(secret);
  });
});

describe('what says what the project holds', () => {
  const source = (given: Partial<GivenSource> = {}) =>
    sourceOf({
      state: undefined,
      isStateFlag: false,
      hasStore: false,
      isStoreFlag: false,
      recording: undefined,
      recordings: 'recordings',
      fromTarget: undefined,
      headers: [],
      ...given,
    });

  const FLAG = { state: 'a.json', isStateFlag: true };
  const RECORDING = { recording: 'checkout' };
  const TARGET = { fromTarget: 'http://a' };

  it('where nothing is said, it is the state that a proxy keeps', () => {
    expect(source()).toEqual({ kind: 'state', file: '.patchgate/state.json', mustExist: false });
  });

  it('a state that a setting names need not be there, one that a flag names must', () => {
    expect(source({ state: 'a.json' })).toEqual({ kind: 'state', file: 'a.json', mustExist: false });
    expect(source(FLAG)).toEqual({ kind: 'state', file: 'a.json', mustExist: true });
  });

  it('a flag comes before a setting', () => {
    expect(source({ ...RECORDING, state: 'a.json' })).toEqual({
      kind: 'recording',
      folder: 'recordings',
      name: 'checkout',
    });
    expect(source({ ...TARGET, headers: ['A', '1'], state: 'a.json' })).toEqual({
      kind: 'target',
      url: 'http://a',
      headers: ['A', '1'],
    });
  });

  it.each([
    [{ ...FLAG, ...RECORDING }, '--state and --recording'],
    [{ ...FLAG, ...TARGET }, '--state and --from-target'],
    [{ ...RECORDING, ...TARGET }, '--recording and --from-target'],
  ])('more than one is refused: %j', (given, message) => {
    expect(refusal('bad-usage', () => source(given))).toContain(message);
  });

  it('none is refused, where even the state is turned off', () => {
    expect(refusal('bad-usage', () => source({ state: '', isStateFlag: true }))).toContain(
      '--from-target URL',
    );
    expect(source({ ...RECORDING, state: '', isStateFlag: true })).toMatchObject({ kind: 'recording' });
  });

  it('a database comes before the state that a setting names, and may hold the recording', () => {
    const store = { hasStore: true, isStoreFlag: true };
    expect(source({ ...store, state: 'a.json' })).toEqual({ kind: 'store' });
    expect(source({ hasStore: true })).toEqual({ kind: 'store' });
    expect(source({ hasStore: true, ...FLAG })).toMatchObject({ kind: 'state' });
    expect(source({ ...store, ...RECORDING })).toMatchObject({ kind: 'recording' });
    expect(refusal('bad-usage', () => source({ ...store, ...FLAG }))).toContain('--state and --store');
    expect(refusal('bad-usage', () => source({ ...store, ...TARGET }))).toContain(
      '--store and --from-target',
    );
  });

  it('headers go nowhere without a service', () => {
    expect(refusal('bad-usage', () => source({ headers: ['A', '1'] }))).toContain('--header');
  });
});
