import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer, stop } from './child.js';
import { bareAnswer, cli, recorder } from './commands.js';
import { drive } from './measure.js';
import { requestBody } from './traffic.js';

/**
 * What the scenarios share: the target behind the proxies, a recording of 100 projects made by the real recorder, and
 * the body as a file.
 */
export async function prepare(folder) {
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
  return { ...place, record: once(() => recordForReplay(place)) };
}

async function recordForReplay(place) {
  const server = await startServer('server', recorder('replayed', '--log', 'off')(place), place.folder);
  await drive(server, {
    connections: 1,
    shape: 'constant',
    exchanges: 100,
    warmUp: 0,
    seconds: 10,
    limit: 100,
  });
  await stop(server);
}

function once(work) {
  let result;
  return () => {
    result ??= work();
    return result;
  };
}
