/** `patchgate exec`. Its commands are small shells: what they see they write to a file, since standard output is that of the tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { packed, runBinary, runEnvironment } from '../support/binary.ts';
import { project } from '../support/bodies.ts';
import { exchange, PROJECT_PATH } from '../support/exchanges.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { runHere } from '../support/run-here.ts';
import { freePort, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
  const json = project();
  writeRecording(join(cwd, 'recordings', 'demo'), [
    exchange({ method: 'GET', answer: { json } }),
    exchange({ body: { json } }),
  ]);
});

const exec = (args: string[], script: string, env: Record<string, string> = {}) =>
  runHere(['exec', '--recording', 'demo', ...args, '--', 'sh', '-c', script], { cwd, env });
const seen = () => readFileSync(join(cwd, 'seen'), 'utf8');
const get = (path: string) => `curl -s -o seen "$PATCHGATE_URL${path}"`;
const patch = (path: string, body: object) =>
  `curl -s -o seen -X PATCH --json '${JSON.stringify(body)}' "$PATCHGATE_URL${path}"`;

describe('a command', () => {
  it('finds the recording by its variables, and its arguments letter by letter', async () => {
    const script = 'printf "$PATCHGATE_URL $BASE_URL $OTHER" > seen; printf "<%s>" "$@" >> seen';
    // With an empty one between the last.
    const args = [
      ...'--env BASE_URL=/api/v2 -- sh -c'.split(' '),
      script,
      ...'sh -- --help  --env 007'.split(' '),
    ];
    const env = { OTHER: 'kept', BASE_URL: 'https://example.com' };
    const { code, stdout } = await runHere(['exec', '--recording=demo', ...args], { cwd, env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(seen()).toMatch(/^(http:\/\/127\.0\.0\.1:\d+) \1\/api\/v2 kept<--><--help><><--env><007>$/);
  });

  it('asks it, and not the proxy that leads out', async () => {
    const env = { http_proxy: 'http://127.0.0.1:9' };
    expect((await exec([], get(PROJECT_PATH), env)).code).toBe(0);
    expect(JSON.parse(seen())).toEqual(project());
  });
});

describe('at the end', () => {
  it('misses fail the run, each explained once, whatever was reset meanwhile', async () => {
    const reset = 'curl -s -o reset -X POST "$PATCHGATE_URL/__patchgate/reset"';
    const missed = [get('/a'), get('/a'), `${get('/a')} -H 'Patchgate-Session: one'`];
    const script = [...missed, reset, patch(PROJECT_PATH, project())];
    const { code, stderr } = await exec([], script.join('\n'));
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^patchgate: 3 requests had no answer in the recording:\n {2}nothing is recorded for GET \/a .*\(3 times\)\n {4}record it: the same command with --record new_episodes --target URL\n/,
    );
    expect(stderr).toContain('patchgate: 1 exchange not served (of 2 in "demo"; --fail-unused lists them)\n');
  });

  it('a recording that is broken is never green', async () => {
    const folder = join(temporaryFolder(), 'recordings', 'broken', 'a');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'GET.json');
    writeFileSync(file, '{ "formatVersion": 1,\n  "exchanges": [ }\n');
    const asked = ['--recordings', join(folder, '..', '..'), '--recording', 'broken'];
    const ended = await runHere(['exec', ...asked, '--', 'true'], { cwd });
    expect({ ...ended }).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`${file}:2:18`),
    });
    // The same for a server.
    const { code, stderr } = await runHere(['replay', ...asked, '--port', '0'], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file}:2:18`) });
  });

  it('an answer 500 of the gate itself is never green', async () => {
    // A file that is broken after the start.
    const script = `mkdir recordings/demo/fails; printf '{' > recordings/demo/fails/GET.json; ${get('/fails')}`;
    const args = ['--record', 'new_episodes', '--target', 'http://127.0.0.1:9'];
    const { code, stderr } = await exec(args, script);
    expect({ code, answer: JSON.parse(seen()) }).toMatchObject({ code: 2, answer: { status: 500 } });
    expect(stderr).toContain('fails/GET.json:1:2');
  });

  it('a partial run is one line', async () => {
    const one = 'patchgate: 1 exchange not served (of 2 in "demo"; --fail-unused lists them)\n';
    expect(await exec([], get(PROJECT_PATH))).toMatchObject({ code: 0, stderr: one });
  });

  it('what was never served fails the run where that is asked for', async () => {
    const { code, stderr } = await exec(['--fail-unused'], get(PROJECT_PATH));
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^patchgate: 1 of 2 exchanges of "demo" was never served:\n {2}PATCH \/api\/v2\/.*\n$/,
    );
  });

  it('one that failed has its own code, and is shown what the gate blocked', async () => {
    const blocked = patch(PROJECT_PATH, { name: 'Checkout' });
    const { code, stderr } = await exec([], `${blocked}; ${get('/a')}; exit 7`);
    expect(code).toBe(7);
    expect(stderr).toContain(`the gate answered PATCH ${PROJECT_PATH} with 422: schema.required: `);
  });
});

describe('to record', () => {
  it('it forwards, guards, and leaves nothing behind but the recording', async () => {
    const target = await startTarget((_req, res) => res.end(JSON.stringify(project())));
    const kept = { ...project(), environments: project().environments.slice(1) };
    const script = `${get(PROJECT_PATH)}; ${patch(PROJECT_PATH, kept)}`;
    const env = { PATCHGATE_RECORD: 'all', PATCHGATE_TARGET: target.url };
    const { code, stdout, stderr } = await exec([], script, env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('with 409: project.environment-deleted: ');
    expect(stderr).toMatch(/\npatchgate: recorded 1 exchange in recordings\/demo\n$/);
    expect(target.received.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(JSON.parse(seen())).toMatchObject({ status: 409 });
    expect(existsSync(join(cwd, '.patchgate'))).toBe(false);
    const file = join(cwd, 'recordings/demo', PROJECT_PATH, 'GET.json');
    expect(JSON.parse(readFileSync(file, 'utf8')).exchanges[0].response.body).toEqual({ json: project() });
  });

  it('it says what the target did not answer, and fails, whether the command minds or not', async () => {
    const target = `http://127.0.0.1:${await freePort()}`;
    const { code, stderr } = await exec(['--record=all', `--target=${target}`], get('/a'));
    expect(code).toBe(1);
    expect(stderr).toContain(`the gate answered GET /a with 502: the target ${target} could not be reached`);
    const odd = await startTarget((_req, res) => res.writeHead(200, { 'content-encoding': 'zstd' }).end('x'));
    expect((await exec(['--record=all', `--target=${odd.url}`], get('/a'))).code).toBe(1);
  });

  it('it lets a client give up', async () => {
    const { url } = await startTarget(() => undefined);
    const { code } = await exec(['--record=all', `--target=${url}`], `${get('/a')} -m 0.3 || true`);
    expect(code).toBe(0);
  });

  it('it needs a target, unless CI keeps it from recording', async () => {
    const { code, stderr } = await exec(['--record=new_episodes'], 'true');
    expect(code).toBe(2);
    expect(stderr).toContain('no target is given');
    const onCi = await exec(['--record=new_episodes'], get('/a'), { CI: 'true' });
    expect(onCi.code).toBe(1);
    expect(onCi.stderr).toMatch(/--record new_episodes replays only(.|\n)*outside CI, the same command/);
  });

  it('a recording that is not there is asked for, and one that is there is enough for once', async () => {
    const misspelt = await runHere(['exec', '--recording=demos', '--', 'touch', 'seen'], { cwd });
    expect(misspelt.code).toBe(2);
    expect(misspelt.stderr).toContain(
      'there is no recording "demos" in recordings/ (there are: demo)\n  did you mean "demo"?',
    );
    expect(existsSync(join(cwd, 'seen'))).toBe(false);
    expect((await exec(['--record=once'], get('/a'))).code).toBe(1);
  });
});

// Told to stop, as by a CI system: no terminal tells its command.

/** Runs a script that says `ready`, and waits for it. */
async function startScript(script: string, ...args: string[]): Promise<{ cwd: string; child: ChildProcess }> {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'recordings/demo'), { recursive: true });
  const given = ['exec', '--recording', 'demo', ...args, '--', 'sh', '-c', script];
  const child = spawn(process.execPath, [packed('dist/cli.js'), ...given], {
    ...{ cwd, env: runEnvironment({}), detached: true },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout as NodeJS.EventEmitter, 'data');
  return { cwd, child };
}

it('tells its command, waits for it, and has the recording whole on disk', async () => {
  const target = await startTarget();
  const last = 'curl -s -o answer "$PATCHGATE_URL/last"; kill $!; exit 5';
  const script = `trap '${last}' TERM; sleep 30 & echo ready; wait`;
  const { cwd, child } = await startScript(script, '--record', 'all', '--target', target.url);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([5, null]);
  const file = readFileSync(join(cwd, 'recordings/demo/last/GET.json'), 'utf8');
  expect(JSON.parse(file).exchanges).toMatchObject([{ response: { status: 200 } }]);
});

it("is well, where nothing is missed but a browser's icon", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'recordings/demo'), { recursive: true });
  const run = (path: string) =>
    runBinary(['exec', '--recording', 'demo', '--', 'sh', '-c', `curl -s "$PATCHGATE_URL${path}"`], { cwd });
  expect(await run('/favicon.ico')).toMatchObject({ code: 0, stdout: expect.stringContaining('no miss') });
  expect(await run('/other.ico')).toMatchObject({ code: 1 });
});

it('ends as its command is ended', async () => {
  const { child } = await startScript('echo ready; exec sleep 30');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});
