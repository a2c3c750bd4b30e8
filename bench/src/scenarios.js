import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer, stop } from './child.js';
import { requestBody } from './traffic.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const cli = here('../../dist/cli.js');

const bareProxy = (place) => (port) => [here('bare-proxy.js'), String(port), String(place.targetPort)];
const bareAnswer = () => (port) => [here('bare-answer.js'), String(port)];
const bareNode = () => ['-e', '0'];

const proxy =
  (...options) =>
  (place) =>
  (port) => [cli, 'proxy', `http://127.0.0.1:${place.targetPort}`, '--port', String(port), ...options];
const replay =
  (...options) =>
  (place) =>
  (port) => [cli, 'replay', '--recordings', place.recordings, '--port', String(port), ...options];
const recorder =
  (name, ...options) =>
  (place) =>
    proxy('--record', 'all', '--recordings', join(place.folder, name), ...options)(place);

/**
 * What is measured, in the order it is printed. `load`: requests a second of ours over the peer's. `first-answer` and
 * `whole-run`: milliseconds from the start to the first answer, or to the end, of ours over the peer's. `body-cost`: CPU
 * time of the costliest hostile body over that of the costliest valid one. `paths`: over how many projects the load is
 * spread. The targets are those that the project set itself.
 */
export const scenarios = [
  { name: 'forward', kind: 'load', ours: proxy('--validation', 'off', '--no-guard', '--log', 'off') },
  { name: 'judge', kind: 'load', ours: proxy('--log', 'off') },
  { name: 'judge-logged', kind: 'load', ours: proxy() },
  { name: 'record', kind: 'load', ours: recorder('one', '--log', 'off'), target: { atLeast: 1.1 } },
  { name: 'record-logged', kind: 'load', ours: recorder('logged'), target: { atLeast: 1.1 } },
  {
    name: 'record-1000-paths',
    kind: 'load',
    paths: 1000,
    ours: recorder('many', '--log', 'off'),
    target: { atLeast: 1.1 },
  },
  {
    name: 'replay',
    kind: 'load',
    needsRecording: true,
    ours: replay('--log', 'off'),
    peer: bareAnswer,
    peerName: 'node:http',
    target: { atLeast: 0.5 },
  },
  {
    name: 'replay-logged',
    kind: 'load',
    needsRecording: true,
    ours: replay(),
    peer: bareAnswer,
    peerName: 'node:http',
    target: { atLeast: 0.5 },
  },
  {
    name: 'start-replay',
    kind: 'first-answer',
    needsRecording: true,
    ours: replay(),
    target: { atMost: 4 },
  },
  {
    name: 'start-check',
    kind: 'whole-run',
    ours: (place) => [cli, 'check', '--operation', 'updateProject', place.body],
  },
  {
    name: 'worst-body',
    kind: 'body-cost',
    ours: proxy('--log', 'off'),
    peerName: 'a valid body',
    target: { atMost: 1.5 },
  },
].map((scenario) => ({
  paths: 1,
  target: {},
  ...(scenario.kind === 'load'
    ? { peer: bareProxy, peerName: 'http-proxy' }
    : { peer: bareNode, peerName: 'node -e 0' }),
  ...scenario,
}));

/**
 * What the scenarios share: the target behind the proxies, a recording of 100 projects made by the real recorder, and
 * the body as a file.
 */
export async function prepare(folder, drive) {
  if (!existsSync(cli)) throw new Error(`${cli} does not exist: run "npm run bundle" at the top first`);
  const body = join(folder, 'body.json');
  writeFileSync(body, requestBody);
  const target = await startServer('load', bareAnswer(), folder);
  const place = {
    folder,
    targetPort: target.port,
    recordings: join(folder, 'replayed'),
    body,
    close: () => stop(target),
  };
  return { ...place, record: once(() => recordForReplay(place, drive)) };
}

async function recordForReplay(place, drive) {
  const server = await startServer('server', recorder('replayed', '--log', 'off')(place), place.folder);
  await drive(server, { connections: 1, paths: 100, warmUp: 0, seconds: 10, limit: 100 });
  await stop(server);
}

function once(work) {
  let result;
  return () => {
    result ??= work();
    return result;
  };
}
