/** The library as it is packed, in tests that hold the clock and mock what there is. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as testing from '../../src/testing/index.ts';
import { packed, runProgram } from '../support/binary.ts';
import { exchange, PROJECT_PATH } from '../support/exchanges.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { project } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROJECT = project('1 A');

let library: typeof testing;
beforeAll(async () => {
  // As Node loads it, not vitest.
  library = await import(/* @vite-ignore */ pathToFileURL(packed('dist/testing.js')).href);
  expect.extend(await library.gateMatchers());
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

interface Sent {
  path?: string;
  headers?: Readonly<Record<string, string>>;
  body?: object | undefined;
}

/** A GET, or a PATCH with a body; the status and the answer. */
function send(base: string, { path = PROJECT_PATH, headers = {}, body }: Sent = {}) {
  return new Promise<string>((resolve, reject) => {
    const method = body ? 'PATCH' : 'GET';
    const all = { 'content-type': 'application/json', ...headers };
    const sent = request(base + path, { method, agent: false, headers: all }, (response) =>
      text(response).then((answer) => resolve(`${response.statusCode} ${answer}`), reject),
    );
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}

/** One PATCH that was answered 1, 2, 3. */
function recorded() {
  const recordings = temporaryFolder();
  const answers = [1, 2, 3];
  writeRecording(
    join(recordings, 'demo'),
    answers.map((answer) => exchange({ body: { json: PROJECT }, answer: { json: answer } })),
  );
  return { recordings, recording: 'demo' };
}

describe('a gate beside the test', () => {
  it('answers, waits, records, replays and closes while all timers are fake and fetch is mocked', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', () => Promise.reject(new Error('mocked')));
    const service = await library.startFake({ fault: 'latency=1ms' });
    const options = { recordings: temporaryFolder(), recording: 'demo' };
    const recorder = await library.startReplay({ ...options, record: 'all', target: service.url });
    expect(await send(recorder.url)).toMatch(/^200 /);
    await recorder.close();
    await service.close();
    const gate = await library.startReplay(options);
    expect(await send(gate.url)).toMatch(/^200 /);
    await gate.assertAllServed();
    await gate.close();
  });

  it('lets sessions see nothing of one another', async () => {
    await using gate = await library.startReplay({ ...recorded(), strictSequence: true });
    await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const session = gate.session(name);
        const answers: string[] = [];
        const { headers } = session;
        for (let i = 0; i < 3; i++) answers.push(await send(gate.url, { headers, body: PROJECT }));
        expect(answers).toEqual(['200 1', '200 2', '200 3']);
        expect((await session.exchanges()).map((one) => one.session)).toEqual([name, name, name]);
        await session.assertNoMisses();
      }),
    );
    await gate.assertAllServed();
    await gate.reset();
    expect(await gate.exchanges()).toEqual([]);
  });

  it('begins the session of a test anew that is tried again', async () => {
    await using gate = await library.startReplay({ ...recorded(), strictSequence: true });
    const info = { file: import.meta.filename, titlePath: ['a', 'adds'] };
    for (const retry of [0, 1]) {
      const { headers } = gate.session({ ...info, retry });
      expect(await send(gate.url, { headers, body: PROJECT })).toBe('200 1');
    }
  });

  it('says what the recording could not answer, and what was never served', async () => {
    await using gate = await library.startReplay(recorded());
    const session = gate.session('adds');
    await send(gate.url, { ...session, path: '/api/v2/accounts/current/projects/43' });
    expect(await session.misses()).toMatchObject([{ session: 'adds', count: 1 }]);
    expect(await gate.session('other').misses()).toEqual([]);
    const failed = await session.assertNoMisses().catch((error: Error) => error);
    expect(failed).toMatchObject({ message: expect.stringContaining('1 request had no answer') });
    // The line of the test, not of a message that came back.
    await expect(gate.assertAllServed()).rejects.toThrow('3 of 3 exchanges of "demo" were never served');
    await expect(gate.exchanges({ metod: 'PATCH' } as never)).rejects.toThrow('there is no "metod"');
  });

  it('fails a test for which Patchgate itself answers 500', async () => {
    const options = recorded();
    await using service = await library.startFake();
    await using gate = await library.startReplay({
      ...{ ...options, record: 'new_episodes', guard: false, target: service.url },
    });
    const broken = join(options.recordings, options.recording, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'GET.json'), '{');
    const failing = gate.session('failing');
    expect((await fetch(`${gate.url}/broken`, failing)).status).toBe(500);
    await expect(gate.assertNoMisses()).rejects.toThrow('GET.json:1:2');
    await expect(failing.assertNoMisses()).rejects.toThrow('GET.json:1:2');
    await gate.session('other').assertNoMisses();
  });

  it('has records in each session of the fake, and faults in all', async () => {
    const seed = { accounts: { current: { projects: { 42: { ...PROJECT, name: 'Seeded' } } } } };
    await using gate = await library.startFake({ seed });
    const answers: string[] = [];
    const [first, second] = [gate.session('first'), gate.session('second')];
    await send(gate.url, { ...first, body: { ...PROJECT, name: 'Mine' } });
    expect([await send(gate.url, first), await send(gate.url, second)]).toEqual([
      expect.stringContaining('Mine'),
      expect.stringContaining('Seeded'),
    ]);
    await gate.setFaults('GET status=503 count=1');
    for (const session of [first, first, second]) answers.push((await send(gate.url, session)).slice(0, 3));
    expect(answers).toEqual(['503', '200', '503']);
    await expect(gate.setFaults('GET status=x')).rejects.toThrow('status=x');
  });

  it.each([
    ['an unknown option', { recordng: 'x' }, 'did you mean "recording"?'],
    ['an option of commands', { failUnused: true }, 'await gate.assertAllServed()'],
    ['a function', { customRules: () => undefined }, 'belong into a config file'],
    ['no recording', { recordings: '/nowhere' }, 'PATCHGATE_RECORD=all PATCHGATE_TARGET=URL'],
    ['a name alone', 'checkout', "startReplay({ recording: 'checkout' })"],
  ])('refuses %s and says what to do', async (_, options, says) => {
    const failed = await library.startReplay(options as object).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(library.PatchgateError);
    expect(failed).toMatchObject({
      message: expect.stringContaining(says),
      stack: expect.stringContaining('testing.test.ts'),
    });
  });

  it('is asked no more once it is closed', async () => {
    const gate = await library.startFake();
    expect(() => gate.session('')).toThrow('cannot name a session');
    await gate.close();
    await gate.close();
    await expect(gate.exchanges()).rejects.toThrow('the gate is closed');
    await expect(send(gate.url)).rejects.toThrow('ECONNREFUSED');
  });

  it('keeps no process alive, and what it recorded is written', async () => {
    const service = await library.startFake();
    const recordings = temporaryFolder();
    const program = `
      import { startReplay } from ${JSON.stringify(pathToFileURL(packed('dist/testing.js')).href)};
      const options = { recordings: ${JSON.stringify(recordings)}, recording: 'open' };
      const gate = await startReplay({ ...options, record: 'all', target: '${service.url}' });
      await fetch(gate.url + '${PROJECT_PATH}');`;
    const { code, stderr } = await runProgram(process.execPath, ['--input-type=module', '-e', program], {
      cwd: recordings,
      env: { ...process.env, CI: undefined },
    });
    await service.close();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('no test has closed 1 gate'),
    });
    expect(stderr).toContain('recorded 1 exchange');
    expect(existsSync(join(recordings, 'open', '.patchgate'))).toBe(false);
  });
});

describe('toHaveServed', () => {
  const EXPECTED = { method: 'patch', path: PROJECT_PATH, status: 200 };

  it('holds for what was answered', async () => {
    await using gate = await library.startFake();
    const session = gate.session('adds');
    await send(gate.url, {
      path: `${PROJECT_PATH}?dry=1`,
      body: PROJECT,
      headers: { ...session.headers, authorization: 'Bearer s3cret-token' },
    });
    await expect(session).toHaveServed({ ...EXPECTED, body: PROJECT, query: { dry: '1' }, times: 1 });
    await expect(gate).toHaveServed({
      path: /projects/,
      body: expect.objectContaining({ name: 'Checkout' }),
    });
    await expect(gate).toHaveServed({ headers: { Authorization: '[redacted]', 'Content-Type': /json/ } });
    await expect(gate.session('other')).not.toHaveServed({});
    await expect(gate).not.toHaveServed({ ...EXPECTED, times: 2 });
  });

  it('shows the difference to the nearest exchange, and no secret', async () => {
    await using gate = await library.startFake();
    await send(gate.url, { body: PROJECT, headers: { authorization: 'Bearer s3cret-token' } });
    await send(gate.url, { body: { languages: [] } });
    const expected = { ...EXPECTED, body: { ...PROJECT, name: 'Cart' } };
    const failed: Error = await expect(gate)
      .toHaveServed(expected)
      .then(
        () => expect.fail('it holds'),
        (error: Error) => error,
      );
    expect(failed.message).toContain('Cart');
    expect(failed.message).toContain('"name": "Checkout"');
    expect(failed.message).toMatch(/#2 PATCH \S+ -> 422 \(gate\): schema\./);
    expect(failed.message).not.toMatch(/s3cret/);
  });

  it('refuses what means nothing', async () => {
    await using gate = await library.startFake();
    await expect(expect(gate).toHaveServed({ metod: 'GET' } as never)).rejects.toThrow('there is no "metod"');
    await expect(expect({}).toHaveServed({})).rejects.toThrow('no gate and no session');
  });
});
