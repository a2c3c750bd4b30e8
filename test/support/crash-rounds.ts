/** The built program in front of a target, killed at random moments, again and again. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request as open } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Exchange, isKept } from '../../src/model/exchange.ts';
import { bodyBytes } from '../../src/recordings/body.ts';
import { openStore } from '../../src/recordings/store.ts';
import { packed, runProgram, startBinary } from './binary.ts';
import { oneOf, sequence } from './numbers.ts';
import { find } from './recordings.ts';
import { startTarget } from './target.ts';
import { temporaryFolder } from './temporary-folder.ts';

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

export interface Tally {
  rounds: number;
  kills: Record<string, number>;
  /** Whole responses that clients received. Each is kept once. */
  received: number;
}

export async function crashRounds(rounds: number, seed: number): Promise<Tally> {
  const random = sequence(seed);
  const target = await startTarget((req, res) => {
    target.received.length = 0;
    const n = numberIn(req.url ?? '');
    const body = answerOf(n);
    res.setHeader('content-type', n % 11 === 0 ? 'application/octet-stream' : 'application/json');
    if (n % 5 === 0) res.write(body.subarray(0, body.length >> 1));
    else res.setHeader('content-length', body.length);
    res.end(n % 5 === 0 ? body.subarray(body.length >> 1) : body);
  });
  const tally: Tally = { rounds: 0, kills: {}, received: 0 };
  let n = 0;
  while (tally.rounds < rounds) {
    const folder = temporaryFolder();
    const received: number[] = [];
    const argsOf = (mode: string) => {
      const settings = ['--record', mode, '--recording', 'r', '--guard=off', '--log', 'off'];
      return ['proxy', target.url, ...settings];
    };
    for (let i = 0; i < ROUNDS_A_RECORDING && tally.rounds < rounds; i++, tally.rounds++) {
      // The first has something to lose.
      const moment = i === 0 ? MOMENTS[1] : oneOf(random, MOMENTS);
      tally.kills[moment] = (tally.kills[moment] ?? 0) + 1;
      const args = argsOf(oneOf(random, ['all', 'new_episodes']));
      await round(folder, args, moment, random, () => ++n, received);
      expectOnce(await keptIn(folder), received, `${moment}, round ${tally.rounds}, seed ${seed}`);
    }
    // After a start and a stop that nobody disturbs, all is in the files, and nothing else is.
    const last = await startBinary(argsOf('all'), { cwd: folder });
    expect(await last.stop()).toMatchObject({ code: 0 });
    const kept = await keptIn(folder);
    expectOnce(kept, received, `at the end, seed ${seed}`);
    for (const exchange of kept) expectWhole(exchange);
    const names = readdirSync(join(folder, 'recordings'), { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => /\.tmp$|lock|journal/.test(name))).toEqual([]);
    for (const name of names.filter((name) => name.endsWith('.json')))
      JSON.parse(readFileSync(join(folder, 'recordings', name), 'utf8'));
    tally.received += received.length;
  }
  await target.close();
  return tally;
}

/** @param received gets the numbers whose responses clients received */
async function round(
  cwd: string,
  args: string[],
  moment: (typeof MOMENTS)[number],
  random: () => number,
  next: () => number,
  received: number[],
): Promise<void> {
  if (moment === 'while it starts') {
    const script = `"$@" & sleep ${(random() * 0.3).toFixed(3)}; kill -9 $!`;
    const program = [process.execPath, packed('dist/cli.js'), ...args, '--port', '0'];
    await runProgram('sh', ['-c', script, 'sh', ...program], { cwd });
    return;
  }
  const gate = await startBinary(args, { cwd });
  if (moment === 'in the midst of requests') {
    // By a process of its own: this one would find the gate at rest whenever it has the time.
    const script = `sleep ${(0.05 + random()).toFixed(3)}; kill -9 ${gate.pid}`;
    spawn('sh', ['-c', script], { stdio: 'ignore' });
    await sendAll(gate.port, next, received, Number.POSITIVE_INFINITY);
    await gate.ended;
    return;
  }
  await sendAll(gate.port, next, received, 20 + Math.floor(random() * 500));
  // When nothing has come for a second, the files are written.
  if (moment === 'while it writes') await sleep(980 + random() * 150);
  if (moment === 'after it wrote and went on') {
    await sleep(1300);
    await sendAll(gate.port, next, received, 20);
  }
  if (moment === 'while it stops') {
    process.kill(gate.pid, 'SIGTERM');
    await sleep(random() * 60);
  }
  await gate.stop('SIGKILL');
}

/** Clients that send one request after the other on a connection each, until one fails or so many are answered. */
async function sendAll(port: number, next: () => number, received: number[], count: number): Promise<void> {
  let left = count;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (left > 0) {
      const n = next();
      const body = await send(port, agent, n);
      if (body === undefined) break;
      if (!body.equals(answerOf(n))) throw new Error(`another response than that of ${n}: ${body}`);
      received.push(n);
      left--;
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** @returns undefined if no whole response came */
function send(port: number, agent: Agent, n: number): Promise<Buffer | undefined> {
  const { method, path, body } = requestOf(n);
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      ...(body.length > 0 && { 'content-length': body.length }),
    };
    const options = { host: '127.0.0.1', port, method, path: `${path}?n=${n}`, headers, agent };
    const req = open(options, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
      res.on('close', () =>
        resolve(res.complete && res.statusCode === 200 ? Buffer.concat(chunks) : undefined),
      );
    });
    req.on('error', () => resolve(undefined)).end(body);
  });
}

/** The request of a number. A few paths get many, and many get few. */
function requestOf(n: number): { method: string; path: string; body: Buffer } {
  if (n % 3 === 1) return { method: 'GET', path: `/api/things/${n % 5}`, body: Buffer.alloc(0) };
  if (n % 3 === 2) return { method: 'POST', path: `/api/uploads/${n % 97}`, body: textOf(n, sizeOf(n + 1)) };
  const environments = [{ id: 1, name: 'A', isEnabled: true }];
  const body = JSON.stringify({ name: `N${n}`, languages: ['GO'], environments });
  return {
    method: 'PATCH',
    path: `/api/v2/accounts/current/projects/${n % 4}`,
    body: Buffer.from(body),
  };
}

/** The body of a number's response: mostly small, at times large, at times with line feeds, at times no text. */
function answerOf(n: number): Buffer {
  const text = textOf(n, sizeOf(n));
  if (n % 7 === 0) return Buffer.from(JSON.stringify(JSON.parse(text.toString()), null, 2));
  return n % 11 === 0 ? Buffer.concat([Buffer.from([0xff, 0x0a, 0x00]), text]) : text;
}

const sizeOf = (n: number) => (n % 29 === 0 ? 100_000 + ((n * 7919) % 300_000) : (n * 131) % 700);

function textOf(n: number, size: number): Buffer {
  const filler = hash('sha1', String(n), 'hex');
  const padding = filler.repeat(Math.ceil(size / filler.length)).slice(0, size);
  return Buffer.from(JSON.stringify({ n, padding }));
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
  const twice = known.size === numbers.length ? [] : numbers.filter((n, i) => numbers.indexOf(n) !== i);
  expect({ missing, twice }, when).toEqual({ missing: [], twice: [] });
}

/** Nothing of it is another's, cut or broken. */
function expectWhole({ request, response }: Exchange): void {
  const n = numberIn(request.query);
  const { method, path, body } = requestOf(n);
  expect({ n, method: request.method, path: request.path }).toEqual({ n, method, path });
  for (const [stored, bytes] of [
    [request.body, body],
    [response.body, answerOf(n)],
  ] as const)
    expect(isKept(stored) && bodyBytes(stored).equals(bytes), `${n}`).toBe(true);
}
