/** The built program in front of a target, killed at random moments, again and again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Exchange, isKept } from '../../src/model/exchange.ts';
import { bodyBytes } from '../../src/recordings/body.ts';
import { openStore } from '../../src/recordings/store.ts';
import { packed, runEnvironment } from './binary.ts';
import { answer, answerOf, Clients, numberIn, requestOf } from './crash-traffic.ts';
import { find } from './recordings.ts';
import { startTarget, type Target } from './target.ts';
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
  /** Whole responses that clients received, exchanges that were kept, and the difference of both ways. */
  received: number;
  kept: number;
  missing: number;
  twice: number;
  /** Kept, though the client was not told any more. */
  untold: number;
}

export async function crashRounds(rounds: number, seed: number): Promise<Tally> {
  const random = randomFrom(seed);
  const target = await startTarget((req, res) => {
    target.received.length = 0;
    answer(req, res);
  });
  const tally: Tally = { rounds: 0, kills: {}, received: 0, kept: 0, missing: 0, twice: 0, untold: 0 };
  let n = 0;
  const next = () => ++n;
  while (tally.rounds < rounds) {
    const folder = temporaryFolder();
    const received: number[] = [];
    for (let i = 0; i < ROUNDS_A_RECORDING && tally.rounds < rounds; i++, tally.rounds++) {
      // The first has something to lose.
      const moment = MOMENTS[i === 0 ? 1 : Math.floor(random() * MOMENTS.length)] as string;
      tally.kills[moment] = (tally.kills[moment] ?? 0) + 1;
      received.push(...(await round(folder, target, moment, random, next)));
      count(await keptIn(folder), received, `${moment}, round ${tally.rounds}, seed ${seed}`);
    }
    await finish(folder, target);
    const kept = await keptIn(folder);
    const { missing, twice } = count(kept, received, `at the end, seed ${seed}`);
    for (const exchange of kept) checkWhole(exchange);
    checkTidy(folder);
    tally.received += received.length;
    tally.kept += kept.length;
    tally.missing += missing;
    tally.twice += twice;
    tally.untold += kept.length - received.length;
  }
  await target.close();
  return tally;
}

/** @returns the numbers whose responses clients received */
async function round(
  folder: string,
  target: Target,
  moment: string,
  random: () => number,
  next: () => number,
): Promise<number[]> {
  const mode = random() < 0.5 ? 'all' : 'new_episodes';
  const gate = start(folder, target, mode);
  if (moment === 'while it starts') {
    await sleep(random() * 300);
    await gate.kill();
    return [];
  }
  const clients = new Clients(await gate.port, next);
  if (moment === 'in the midst of requests') {
    const killed = gate.killAfter(0.05 + random());
    await clients.run(CLIENTS, () => undefined);
    await killed;
    return clients.received;
  }
  let left = 20 + Math.floor(random() * 500);
  await clients.run(CLIENTS, () => --left <= 0 && clients.stop());
  // When nothing has come for a second, the files are written.
  if (moment === 'while it writes') await sleep(980 + random() * 150);
  if (moment === 'after it wrote and went on') {
    await sleep(1300);
    left = 20;
    await clients.run(CLIENTS, () => --left <= 0 && clients.stop());
  }
  if (moment === 'while it stops') {
    gate.child.kill('SIGTERM');
    await sleep(random() * 60);
  }
  await gate.kill();
  return clients.received;
}

/** A start and a stop that nobody disturbs: all is in the files then. */
async function finish(folder: string, target: Target): Promise<void> {
  const gate = start(folder, target, 'all');
  await gate.port;
  gate.child.kill('SIGTERM');
  const [code] = (await gate.ended) as [number | null];
  expect({ code, stderr: gate.stderr() }).toMatchObject({ code: 0 });
}

interface Gate {
  child: ChildProcess;
  /** Rejects where it ends instead. */
  port: Promise<number>;
  ended: Promise<unknown[]>;
  stderr(): string;
  kill(): Promise<void>;
  /** By a process of its own: this one would find the gate at rest whenever it has the time. */
  killAfter(seconds: number): Promise<void>;
}

function start(cwd: string, target: Target, mode: string): Gate {
  const settings = ['--record', mode, '--recording', 'r', '--guard=off', '--log', 'off', '--port', '0'];
  const child = spawn(process.execPath, [packed('dist/cli.js'), 'proxy', target.url, ...settings], {
    cwd,
    env: runEnvironment({}),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let stderr = '';
  const port = new Promise<number>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      const found = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(stderr)?.[1];
      if (found) resolve(Number(found));
    });
    ended.then(() => reject(new Error(`it did not start: ${stderr}`)), reject);
  });
  // Nobody waits for it where the start is what is interrupted.
  port.catch(() => undefined);
  return {
    child,
    port,
    ended,
    stderr: () => stderr,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async killAfter(seconds) {
      spawn('sh', ['-c', `sleep ${seconds.toFixed(3)}; kill -9 ${child.pid}`], { stdio: 'ignore' });
      await ended;
    },
  };
}

/** Everything that a reader finds. */
async function keptIn(folder: string): Promise<Exchange[]> {
  const store = await openStore(join(folder, 'recordings'), 'r');
  const kept: Exchange[] = [];
  for (const { method, path } of store.places()) kept.push(...find(store, method, path));
  await store.close();
  return kept;
}

function count(
  kept: readonly Exchange[],
  received: readonly number[],
  when: string,
): { missing: number; twice: number } {
  const numbers = kept.map(({ request }) => numberIn(request.query));
  const known = new Set(numbers);
  const missing = received.filter((n) => !known.has(n));
  const twice = known.size === numbers.length ? [] : numbers.filter((n, i) => numbers.indexOf(n) !== i);
  expect({ missing, twice }, when).toEqual({ missing: [], twice: [] });
  return { missing: missing.length, twice: twice.length };
}

/** Nothing of it is another's, cut or broken. */
function checkWhole({ request, response }: Exchange): void {
  const n = numberIn(request.query);
  const { method, path, body } = requestOf(n);
  expect({ n, method: request.method, path: request.path }).toEqual({ n, method, path });
  const bytes = [request.body, response.body].map((stored) =>
    isKept(stored) ? bodyBytes(stored) : undefined,
  );
  expect(bytes[0]?.equals(body), `the request of ${n}`).toBe(true);
  expect(bytes[1]?.equals(answerOf(n)), `the response of ${n}`).toBe(true);
}

/** Nothing is left of the killed processes. */
function checkTidy(folder: string): void {
  const names = readdirSync(join(folder, 'recordings'), { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => /\.tmp$|lock|journal/.test(name))).toEqual([]);
  for (const name of names) {
    if (name.endsWith('.json')) JSON.parse(readFileSync(join(folder, 'recordings', name), 'utf8'));
  }
}

/** Mulberry32: numbers from 0 to 1 that a seed repeats. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
