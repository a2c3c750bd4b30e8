import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

const running = new Set();

/** Nothing that was started may outlive the bench, held still or not. */
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/** The two cores to use: `{ server, load }`; undefined where there is one only, or no Linux. */
export const cores = process.platform === 'linux' ? findCores() : undefined;

function findCores() {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1];
  const [server, load] = list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  return load === undefined ? undefined : { server, load };
}

/** Has this process, which makes the load, keep off the server's core. */
export function leaveServerCore() {
  spawnSync('taskset', ['-a', '-c', '-p', String(cores.load), String(process.pid)]);
}

/**
 * Starts a Node process on one of the cores, in a folder of its own; what it prints goes to a file, as a user's log would.
 *
 * @param argsOf gives Node's arguments of `{ port, cli, targetPort }`
 */
export async function start(argsOf, place, core = cores.server) {
  const port = await freePort();
  const folder = mkdtempSync(join(place.folder, 'server-'));
  const log = join(folder, 'output.txt');
  const output = openSync(log, 'w');
  const args = argsOf({ ...place, port });
  const startedAt = performance.now();
  const child = spawn('taskset', ['-c', String(core), process.execPath, ...args], {
    cwd: folder,
    stdio: ['ignore', output, output],
    env: cleanEnv(),
  });
  closeSync(output);
  running.add(child);
  child.on('exit', () => running.delete(child));
  return { child, port, log, startedAt, name: args.map((arg) => arg.split('/').pop()).join(' ') };
}

/** @throws Error with what a dead process printed last */
export function checkAlive({ child, name, log }) {
  if (child.exitCode === null && child.signalCode === null) return;
  const printed = readFileSync(log, 'utf8').trim().slice(-2000);
  throw new Error(`${name} ended with ${child.signalCode ?? child.exitCode}, and printed: ${printed}`);
}

/** Holds a server still while others are measured. */
export function hold({ child }) {
  child.kill('SIGSTOP');
}

export function release({ child }) {
  child.kill('SIGCONT');
}

export async function stop({ child }) {
  if (!running.has(child)) return;
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await once(child, 'exit');
  clearTimeout(force);
}

/** CPU seconds of a server so far: all its threads, exact to the nanosecond where /proc/<pid>/stat has hundredths. */
export function cpuSecondsOf({ child }) {
  const tasks = `/proc/${child.pid}/task`;
  const times = readdirSync(tasks).map(
    (id) => readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0],
  );
  return times.reduce((sum, time) => sum + Number(time), 0) / 1e9;
}

/** The peak of its resident memory since it was started. */
export function peakMebibytesOf({ child }) {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;
}

/** A recorder merges when nothing has come for 1 s: a server is quiet after so many looks without CPU time. */
const QUIET_LOOKS = 13;
const LOOK_MS = 100;
/** CPU seconds that an idle process takes for its timers in that time. */
const IDLE = 0.002;

/** Waits until a server does nothing in the background any more, 20 s at most. @returns CPU seconds that it took until then */
export async function cpuSecondsUntilQuiet(server) {
  const before = cpuSecondsOf(server);
  let last = before;
  for (let looks = 0, quiet = 0; quiet < QUIET_LOOKS && looks < 200; looks++) {
    await pause(LOOK_MS);
    const now = cpuSecondsOf(server);
    quiet = now - last < IDLE ? quiet + 1 : 0;
    last = now;
  }
  return last - before;
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Settings of whoever runs the bench must not change what is measured. */
function cleanEnv() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PATCHGATE_|CI$|NODE_OPTIONS$)/.test(name)),
  );
}
