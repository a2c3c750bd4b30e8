/** The built program records in front of a target and is killed at random moments: nothing that a client received is lost. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { bodyBytes } from '../../src/recordings/body.ts';
import { openStore } from '../../src/recordings/store.ts';
import { type Asked, ask } from '../support/ask.ts';
import { packed, runProgram, startBinary } from '../support/binary.ts';
import { oneOf, sequence } from '../support/numbers.ts';
import { find } from '../support/recordings.ts';
import { isLong, runs, SEED } from '../support/rounds.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** When a round is ended. */
const MOMENTS = [
  'while it starts',
  'in the midst of requests',
  'while it writes',
  'after it wrote and went on',
  'while it stops',
] as const;

/** Rounds that record into one recording: its files are begun, added to, and grow. */
const ROUNDS_A_RECORDING = 10;
const CLIENTS = 6;
const ROUNDS = runs('rounds', 6, 60);
/** The short form has each moment that has something to lose, and few requests. */
const random = sequence(isLong ? SEED : 1314);
let lastNumber = 0;

it(`loses nothing in ${ROUNDS} rounds`, async () => {
  const target = await startTarget((req, res) => {
    target.received.length = 0;
    const n = numberIn(req.url ?? '');
    const body = answerOf(n);
    res.setHeader('content-type', n % 11 === 0 ? 'application/octet-stream' : 'application/json');
    if (n % 5 === 0) res.write(body.subarray(0, body.length >> 1));
    else res.setHeader('content-length', body.length);
    res.end(n % 5 === 0 ? body.subarray(body.length >> 1) : body);
  });
  const argsOf = (mode: string) => [
    ...['proxy', target.url, '--record', mode, '--recording', 'r', '--guard=off', '--log', 'off'],
  ];
  for (let done = 0; done < ROUNDS; ) {
    const folder = temporaryFolder();
    const received: number[] = [];
    for (let i = 0; i < ROUNDS_A_RECORDING && done < ROUNDS; i++, done++) {
      // The first has something to lose.
      const moment = i === 0 ? MOMENTS[1] : oneOf(random, MOMENTS);
      await round(folder, argsOf(oneOf(random, ['all', 'new_episodes'])), moment, received);
      expectOnce(await keptIn(folder), received, `${moment}, round ${done}, seed ${SEED}`);
    }
    // After a start and a stop that nobody disturbs, all is in the files, and nothing else is.
    const last = await startBinary(argsOf('all'), { cwd: folder });
    expect(await last.stop()).toMatchObject({ code: 0 });
    const kept = await keptIn(folder);
    expectOnce(kept, received, `at the end, seed ${SEED}`);
    for (const exchange of kept) expectWhole(exchange);
    const names = readdirSync(join(folder, 'recordings'), { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => /\.tmp$|lock|journal/.test(name))).toEqual([]);
    expect(received.length).toBeGreaterThan(0);
  }
});

/** @param received gets the numbers whose answers clients received whole */
async function round(cwd: string, args: string[], moment: (typeof MOMENTS)[number], received: number[]) {
  if (moment === 'while it starts') {
    const script = `"$@" & sleep ${(random() * 0.3).toFixed(3)}; kill -9 $!`;
    const program = [process.execPath, packed('dist/cli.js'), ...args, '--port', '0'];
    await runProgram('sh', ['-c', script, 'sh', ...program], { cwd });
    return;
  }
  const gate = await startBinary(args, { cwd });
  if (moment === 'in the midst of requests') {
    // By a process of its own: this one would find the gate at rest whenever it has the time.
    const script = `sleep ${(0.05 + random() * (isLong ? 1 : 0.4)).toFixed(3)}; kill -9 ${gate.pid}`;
    spawn('sh', ['-c', script], { stdio: 'ignore' });
    await sendAll(gate.port, received, Number.POSITIVE_INFINITY);
    await gate.ended;
    return;
  }
  await sendAll(gate.port, received, 20 + Math.floor(random() * (isLong ? 500 : 150)));
  // When nothing has come for a second, the files are written.
  if (moment === 'while it writes') await sleep(980 + random() * 150);
  if (moment === 'after it wrote and went on') {
    await sleep(1300);
    await sendAll(gate.port, received, 20);
  }
  if (moment === 'while it stops') {
    process.kill(gate.pid, 'SIGTERM');
    await sleep(random() * 60);
  }
  await gate.stop('SIGKILL');
}

/** Clients that send one request after the other on a connection each, until one fails or so many are answered. */
async function sendAll(port: number, received: number[], count: number): Promise<void> {
  let left = count;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (left > 0) {
      const n = ++lastNumber;
      const { method, path, body } = requestOf(n);
      const headers = { 'content-type': 'application/json' };
      const answer = await ask(port, agent, { method, path: `${path}?n=${n}`, headers, body });
      if (answer?.status !== 200) break;
      if (!answer.body.equals(answerOf(n))) throw new Error(`another answer than that of ${n}`);
      received.push(n);
      left--;
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** The request of a number. A few paths get many, and many get few. */
function requestOf(n: number): Required<Omit<Asked, 'headers'>> {
  if (n % 3 === 1) return { method: 'GET', path: `/api/things/${n % 5}`, body: '' };
  if (n % 3 === 2) return { method: 'POST', path: `/api/uploads/${n % 97}`, body: textOf(n + 1) };
  const environments = [{ id: 1, name: 'A', isEnabled: true }];
  const body = JSON.stringify({ name: `N${n}`, languages: ['GO'], environments });
  return { method: 'PATCH', path: `/api/v2/accounts/current/projects/${n % 4}`, body };
}

/** The body of a number's answer: mostly small, at times large, at times with line feeds, at times no text. */
function answerOf(n: number): Buffer {
  const text = textOf(n);
  if (n % 7 === 0) return Buffer.from(JSON.stringify(JSON.parse(text), null, 2));
  return Buffer.concat([Buffer.from(n % 11 === 0 ? [0xff, 0x0a, 0x00] : []), Buffer.from(text)]);
}

function textOf(n: number): string {
  const size = n % 29 === 0 ? 100_000 + ((n * 7919) % 300_000) : (n * 131) % 700;
  return JSON.stringify({
    n,
    padding: hash('sha1', String(n), 'hex')
      .repeat(size / 40 + 1)
      .slice(0, size),
  });
}

const numberIn = (query: string) => Number(/\bn=(\d+)/.exec(query)?.[1]);

/** Everything that a reader finds. */
async function keptIn(folder: string): Promise<Exchange[]> {
  const store = await openStore(join(folder, 'recordings'), 'r');
  const kept = [...store.places()].flatMap(({ method, path }) => find(store, method, path));
  await store.close();
  return kept;
}

function expectOnce(kept: readonly Exchange[], received: readonly number[], when: string): void {
  const numbers = kept.map(({ request }) => numberIn(request.query));
  const known = new Set(numbers);
  const missing = received.filter((n) => !known.has(n));
  expect({ missing, twice: numbers.length - known.size }, when).toEqual({ missing: [], twice: 0 });
}

/** Nothing of it is another's, cut or broken. */
function expectWhole({ request, response }: Exchange): void {
  const n = numberIn(request.query);
  const { method, path, body } = requestOf(n);
  expect({ n, method: request.method, path: request.path }).toEqual({ n, method, path });
  for (const [stored, bytes] of [
    [request.body, Buffer.from(body)],
    [response.body, answerOf(n)],
  ] as const)
    expect(bodyBytes(stored).equals(bytes), `${n}`).toBe(true);
}
