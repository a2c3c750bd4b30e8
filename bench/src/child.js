import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { nodeOn } from './cores.js';

const running = new Set();
let logs = 0;

/** Nothing that was started may outlive the bench, paused or not. */
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/** Starts Node on one of the two cores; what it prints goes to a file, as a user's log would. */
export function start(place, args, folder) {
  const log = join(folder, `output-${++logs}.txt`);
  const output = openSync(log, 'w');
  const [command, ...rest] = nodeOn(place, args);
  const child = spawn(command, rest, { cwd: folder, stdio: ['ignore', output, output], env: cleanEnv() });
  closeSync(output);
  running.add(child);
  child.on('exit', () => running.delete(child));
  return { child, log, folder, name: args.map((part) => part.split('/').pop()).join(' ') };
}

/** Starts a server and waits until it takes connections. `argsOf` is given the port. */
export async function startServer(place, argsOf, folder) {
  const port = await freePort();
  const server = { ...start(place, argsOf(port), folder), port };
  for (let tries = 0; tries < 600; tries++) {
    checkAlive(server);
    if (await accepts(port)) return server;
    await pause(25);
  }
  throw new Error(`${server.name} did not listen within 15 s${said(server)}`);
}

/** @throws Error with what a dead process printed last */
export function checkAlive(server) {
  const { exitCode, signalCode } = server.child;
  if (exitCode === null && signalCode === null) return;
  throw new Error(`${server.name} ended with ${signalCode ?? `exit code ${exitCode}`}${said(server)}`);
}

/** Holds a server still, so that what it does in the background is not charged to its peer. */
export function hold(server) {
  if (process.platform !== 'win32') server.child.kill('SIGSTOP');
}

export function release(server) {
  if (process.platform !== 'win32') server.child.kill('SIGCONT');
}

/** Asks a process to end, and makes it after so many seconds. */
export async function stop({ child }, seconds = 10) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
  await ended;
  clearTimeout(force);
}

/** Asks a server to end and waits until it has. @throws Error where that takes too long, or it does not end with 0 */
export async function finish(server, seconds) {
  checkAlive(server);
  await stop(server, seconds);
  const { exitCode, signalCode } = server.child;
  if (signalCode === 'SIGKILL')
    throw new Error(`${server.name} did not end within ${seconds} s${said(server)}`);
  if (exitCode !== 0) throw new Error(`${server.name} ended with ${signalCode ?? exitCode}${said(server)}`);
}

/** Runs Node to its end. @throws Error where it does not end with 0 */
export async function run(place, args, folder) {
  const started = start(place, args, folder);
  const [code, signal] = await once(started.child, 'exit');
  if (code !== 0) throw new Error(`${started.name} ended with ${signal ?? code}${said(started)}`);
  return readFileSync(started.log, 'utf8');
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => socket.destroy() && resolve(true));
    socket.on('error', () => resolve(false));
  });
}

function said({ log }) {
  const text = readFileSync(log, 'utf8').trim();
  return text === '' ? ', and printed nothing' : `, and printed:\n${text.slice(-2000)}`;
}

/** Settings of whoever runs the bench must not change what is measured. */
function cleanEnv() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PATCHGATE_|CI$|NODE_OPTIONS$)/.test(name)),
  );
}
