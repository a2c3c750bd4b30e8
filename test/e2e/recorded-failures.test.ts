/** What the target failed at, recorded and failed at again: by the built program, and in this process what needs no other. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import type { Config } from '../../src/settings/config.ts';
import { filesIn } from '../support/answers.ts';
import { startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { holdTimers } from '../support/held-timers.ts';
import { startRecorder, startReplay } from '../support/in-process.ts';
import { RawConnection } from '../support/raw.ts';
import { freePort, startRawTarget, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** They start the program many times. */
const PATIENT = 60_000;

/** So long that it is over by a test's word alone. */
const TIMEOUT = 54_321;

/** What a client sees: a status with the problem's type, or how far it got. */
async function seen(url: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url, init);
  const { status, headers } = response;
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk as Uint8Array);
  } catch {
    const body = Buffer.concat(chunks).toString();
    return { status, type: headers.get('content-type'), length: headers.get('content-length'), cut: body };
  }
  const text = Buffer.concat(chunks).toString();
  if (!headers.get('content-type')?.includes('problem')) return { status, body: text };
  return { status, problem: (JSON.parse(text) as { type: string }).type.split(':').at(-1) };
}

const PATCH: RequestInit = {
  method: 'PATCH',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(GOOD_PROJECT),
};

const POST: RequestInit = { method: 'POST', body: 'x' };

/** Sends the same traffic: each path streamed, and a PATCH that is judged. */
async function all(gate: { url: string }, paths: readonly string[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const path of paths) results.push(await seen(gate.url + path));
  results.push(await seen(gate.url + PROJECT_PATH, PATCH));
  return results;
}

function exchangesIn(cwd: string, path: string, method = 'GET', recording = 'default'): Exchange[] {
  const file = join(cwd, 'recordings', recording, ...path.split('/').slice(1), `${method}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { exchanges: Exchange[] }).exchanges;
}

const failuresIn = (cwd: string, path: string, method?: string, recording?: string) =>
  exchangesIn(cwd, path, method, recording).map(({ failure, response }) => failure?.kind ?? response?.status);

const CODED = gzipSync('x'.repeat(10_000));

/** Answers as the path says, or tells that it does not; at the third time where that is flaky. */
function startFailing(onSilence?: () => void) {
  let flaky = 0;
  return startRawTarget((socket) => {
    socket.once('data', (data) => {
      const path = /^\w+ \/(\S*)/.exec(data.toString())?.[1];
      const type = 'Content-Type: text/plain\r\n';
      if (path === 'length') socket.end(`HTTP/1.1 200 OK\r\n${type}Content-Length: 100\r\n\r\nonly this`);
      else if (path === 'chunked')
        socket.end(`HTTP/1.1 201 OK\r\n${type}Transfer-Encoding: chunked\r\n\r\n5\r\nchunk\r\n5\r\nha`);
      else if (path === 'coded') {
        const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${CODED.length}\r\n\r\n`;
        socket.end(Buffer.concat([Buffer.from(head), CODED.subarray(0, 20)]));
      } else if (path === 'flaky' && ++flaky === 3) socket.end(`HTTP/1.1 200 OK\r\n${type}\r\nanswer 3`);
      else if (path === 'half-a-head') socket.end('HTTP/1.1 200 OK\r\nContent-Le');
      else if (path === 'timeout') onSilence?.();
      else socket.resetAndDestroy();
    });
  });
}

describe('a failure of the target', () => {
  const PATHS = ['/timeout', '/reset', '/half-a-head', '/length', '/chunked'];
  const CLIENT_SAW = [
    { status: 504, problem: 'target-timeout' },
    { status: 502, problem: 'target-unreachable' },
    { status: 502, problem: 'target-unreachable' },
    { status: 200, type: 'text/plain', length: '100', cut: 'only this' },
    { status: 201, type: 'text/plain', length: null, cut: 'chunkha' },
    { status: 502, problem: 'target-unreachable' },
  ];

  it('is kept as what it was, and is no answer, unless that is asked for: then it is failed at again', async () => {
    const cwd = temporaryFolder();
    const target = await startFailing(holdTimers(TIMEOUT).goOff);
    const gate = await startRecorder(cwd, target.url, { timeout: TIMEOUT });
    expect(await all(gate, PATHS)).toEqual(CLIENT_SAW);
    await seen(`${gate.url}/coded`);
    for (let i = 0; i < 3; i++) await seen(`${gate.url}/flaky`, POST);
    await gate.gate.close();
    const kinds = [...PATHS.map((path) => failuresIn(cwd, path)), failuresIn(cwd, PROJECT_PATH, 'PATCH')];
    expect(kinds).toEqual([['timeout'], ['reset'], ['reset'], ['truncated'], ['truncated'], ['reset']]);

    // Of a coded response that is not whole nobody knows what it holds.
    expect(exchangesIn(cwd, '/coded')[0]).toMatchObject({
      failure: { kind: 'truncated' },
      response: { headers: { 'content-length': String(CODED.length) }, body: { omitted: 20 } },
    });

    const replay = await startReplay(cwd);
    const refused = await all(replay, PATHS);
    expect(refused).toEqual(refused.map(() => ({ status: 501, problem: 'no-recording' })));
    const good = { status: 200, body: 'answer 3' };
    expect(await seen(`${replay.url}/flaky`, POST)).toEqual(good);
    await replay.gate.close();
    const failing = await startBinary(['replay', '--log', 'off', '--replay-failures'], { cwd });
    expect(await all(failing, PATHS)).toEqual(CLIENT_SAW);
    const problem = await (await fetch(`${failing.url}/timeout`)).json();
    expect(problem).toMatchObject({ detail: expect.stringMatching(/^recorded: .* after \d+ ms/) });
    expect(await seen(`${failing.url}/coded`)).toMatchObject({ status: 200, cut: '' });
    // Those before an answer are served before it, in their order.
    const results = [];
    for (let i = 0; i < 4; i++) results.push(await seen(`${failing.url}/flaky`, POST));
    expect(results).toEqual([CLIENT_SAW[1], CLIENT_SAW[1], good, good]);
  });

  it('to take the connection is one, with TLS too', async () => {
    const cwd = temporaryFolder();
    const closed = `http://127.0.0.1:${await freePort()}`;
    // It answers the handshake with a reset.
    const noTls = `https://127.0.0.1:${(await startFailing()).port}`;
    for (const [recording, url] of Object.entries({ closed, noTls })) {
      const { gate, url: at } = await startRecorder(cwd, url, { recording });
      expect(await all({ url: at }, ['/a'])).toEqual([CLIENT_SAW[1], CLIENT_SAW[1]]);
      await gate.close();
    }
    expect(failuresIn(cwd, '/a', 'GET', 'closed')).toEqual(['refused']);
    expect(failuresIn(cwd, PROJECT_PATH, 'PATCH', 'closed')).toEqual(['refused']);
    expect(failuresIn(cwd, '/a', 'GET', 'noTls')).toEqual(['refused']);
    expect(failuresIn(cwd, PROJECT_PATH, 'PATCH', 'noTls')).toEqual(['refused']);
    const replay = await startReplay(cwd, { recording: 'closed', replayFailures: true });
    expect(await all(replay, ['/a'])).toEqual([CLIENT_SAW[1], CLIENT_SAW[1]]);
  });

  it('after a large upload has all of the upload with it, or is not kept', async () => {
    const cwd = temporaryFolder();
    const target = `http://127.0.0.1:${await freePort()}`;
    const recorder = await startRecorder(cwd, target);
    const head = 'PUT /up HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000\r\n\r\n';
    const put = head + 'x'.repeat(500_000);
    const whole = (await RawConnection.open(recorder.port)).write(put);
    await whole.came('HTTP/1.1 502');
    whole.write('GET /__patchgate/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await whole.came('HTTP/1.1 200');
    const broken = (await RawConnection.open(recorder.port)).write(put.slice(0, 1000).replace('/up', '/cut'));
    await broken.came('HTTP/1.1 502');
    broken.socket.destroy();
    const why = "not recorded: PUT /cut: the request's body was not whole";
    await expect.poll(() => recorder.notices.join('\n')).toContain(why);
    whole.socket.destroy();
    await recorder.gate.close();
    const failing = await startReplay(cwd, { replayFailures: true });
    const [again, cut] = [await RawConnection.open(failing.port), await RawConnection.open(failing.port)];
    await again.write(put).came('HTTP/1.1 502');
    await cut.write(put.replace('/up', '/cut')).came('HTTP/1.1 501');
    for (const { socket } of [again, cut]) socket.destroy();
  });
});

describe('the same traffic', () => {
  const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(9000, 0xfe)]);
  const PATHS = [
    '/json',
    '/png',
    '/png?other',
    '/fails',
    '/fails',
    '/flaky',
    '/flaky',
    '/cut',
    '/png',
    '/json?a=1',
  ];

  async function startMixed() {
    let flaky = 0;
    return startTarget((req, res) => {
      const path = (req.url as string).split('?')[0];
      if (path === '/fails' || (path === '/flaky' && ++flaky === 1)) req.socket.destroy();
      else if (path === '/cut')
        res.writeHead(200, { 'content-length': 50 }).write('cut', () => res.destroy());
      else if (path === '/png')
        res.setHeader('content-type', 'image/png').end(req.url === path ? PNG : PNG.subarray(1));
      else res.setHeader('content-type', 'application/json').end('{\n  "a": 1\n}\n');
    });
  }

  async function run(
    cwd: string,
    recording: string,
    paths: readonly string[],
    more: Partial<Config> = {},
  ): Promise<void> {
    const target = await startMixed();
    const { gate, url } = await startRecorder(cwd, target.url, { recording, ...more });
    for (const path of paths) await seen(url + path, { method: 'POST', body: 'x' });
    await seen(url + PROJECT_PATH, PATCH);
    await gate.close();
    await target.close();
  }

  /** Everything in a recording, bytes as text. */
  function contentOf(cwd: string, recording: string): Record<string, string> {
    const root = join(cwd, 'recordings', recording);
    const files = [...filesIn(root).keys()].filter((file) => !file.includes('.patchgate'));
    return Object.fromEntries(files.map((file) => [relative(root, file), readFileSync(file, 'latin1')]));
  }

  const withoutMeta = (content: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(content).map(([file, text]) => [
        file,
        file.endsWith('.json') ? text.replace(/"(?:recordedAt|durationMs)": ?[^,}\n]+/g, '') : text,
      ]),
    );

  it(
    'makes the same recording, twice from nothing; once more on top it changes no byte',
    async () => {
      const cwd = temporaryFolder();
      await run(cwd, 'one', PATHS);
      await run(cwd, 'two', PATHS);
      const first = contentOf(cwd, 'one');
      expect(Object.keys(first).filter((file) => file.endsWith('.png'))).toHaveLength(2);
      expect(withoutMeta(contentOf(cwd, 'two'))).toEqual(withoutMeta(first));
      await run(cwd, 'one', PATHS);
      expect(contentOf(cwd, 'one')).toEqual(first);
      // In another order, too, as parallel requests come.
      await run(cwd, 'one', ['/json?a=1', '/png?other', ...PATHS.filter((path) => !path.includes('?'))]);
      expect(contentOf(cwd, 'one')).toEqual(first);
      // It has the new times where that is asked for, and nothing else.
      await run(cwd, 'one', PATHS, { refreshMeta: true });
      const refreshed = contentOf(cwd, 'one');
      expect(withoutMeta(refreshed)).toEqual(withoutMeta(first));
      const changed = Object.keys(first).filter((file) => file.endsWith('.json'));
      expect(changed.filter((file) => refreshed[file] === first[file])).toEqual([]);
    },
    PATIENT,
  );

  it(
    'without one of its images takes that away, and one that was left behind',
    async () => {
      const cwd = temporaryFolder();
      await run(cwd, 'one', ['/png', '/png']);
      const before = contentOf(cwd, 'one');
      await run(cwd, 'one', ['/png', '/png', '/png?other']);
      expect(Object.keys(contentOf(cwd, 'one'))).toHaveLength(Object.keys(before).length + 1);
      const folder = join(cwd, 'recordings', 'one', 'png');
      const left = join(folder, `POST~${'0'.repeat(32)}.png`);
      writeFileSync(left, 'x');
      writeFileSync(join(folder, 'mine.png'), 'x');
      const target = await startTarget((_req, res) => res.end('no image'));
      const { gate, url } = await startRecorder(cwd, target.url, { recording: 'one' });
      await seen(`${url}/png?other`, { method: 'POST', body: 'x' });
      await gate.close();
      const after = Object.keys(contentOf(cwd, 'one')).filter((file) => file.endsWith('.png'));
      expect(after).toHaveLength(2);
      expect(after).toContain(join('png', 'mine.png'));
    },
    PATIENT,
  );

  it(
    'of which nothing works leaves what was recorded, and does not make it grow',
    async () => {
      const cwd = temporaryFolder();
      await run(cwd, 'one', ['/json']);
      const down = `http://127.0.0.1:${await freePort()}`;
      const sizes: unknown[] = [];
      for (let i = 0; i < 3; i++) {
        const { gate, url } = await startRecorder(cwd, down, { recording: 'one' });
        await seen(`${url}/json`, { method: 'POST', body: 'x' });
        await gate.close();
        sizes.push(contentOf(cwd, 'one'));
      }
      expect(sizes[2]).toEqual(sizes[0]);
      const replay = await startReplay(cwd, { recording: 'one' });
      expect(await seen(`${replay.url}/json`, { method: 'POST', body: 'x' })).toMatchObject({ status: 200 });
    },
    PATIENT,
  );
});
