import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { finish, startServer, stop } from './child.js';
import { bareEcho, recorder } from './commands.js';
import { drive } from './measure.js';

/** Seconds that one pass over all exchanges may take, and as many again what a recorder writes in the end. */
const TIME = 120;

/**
 * Records so many exchanges of a shape with the real recorder, in order.
 *
 * @param name of the folder of recordings, in the place's
 * @param marks as in load.js
 * @returns `{ recordings, run, stopMs }`: the folder; what the load generator printed; milliseconds that the recorder
 *   took from being asked to end until it had, with all written
 */
export async function grow(place, name, { shape, exchanges, marks = [] }) {
  const echo = await startServer('load', bareEcho(), place.folder);
  let server;
  try {
    const command = recorder(name, '--log', 'off')({ ...place, targetPort: echo.port });
    server = await startServer('server', command, place.folder);
    const run = await passOver(server, { shape, exchanges, marks });
    const stoppedAt = performance.now();
    await finish(server, TIME);
    return { recordings: join(place.folder, name), run, stopMs: performance.now() - stoppedAt };
  } finally {
    if (server) await stop(server);
    await stop(echo);
  }
}

/** Each exchange once, in order. @throws Error where the time is up before all are answered */
export async function passOver(server, { shape, exchanges, marks = [] }) {
  const load = { connections: 16, shape, exchanges, marks, limit: exchanges, warmUp: 0, seconds: TIME };
  const run = await drive(server, load);
  if (run.requests === exchanges) return run;
  throw new Error(`${server.name} answered ${run.requests} of ${exchanges} requests within ${TIME} s`);
}

const grown = new Map();

/** The folder of a recording that has grown so far. It is made once and then shared. */
export function grownRecording(place, shape, exchanges) {
  const name = `grown-${shape}-${exchanges}`;
  if (!grown.has(name)) grown.set(name, grow(place, name, { shape, exchanges }));
  return grown.get(name).then(({ recordings }) => recordings);
}
