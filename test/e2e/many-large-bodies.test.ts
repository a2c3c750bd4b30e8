/** Clients that together send more than there is memory for. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanUp, type Running, startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { RawConnection, sendRaw, valuesOf } from '../support/raw.ts';
import { closeTargets, startTarget, type Target } from '../support/target.ts';

const SIZE = 5 * 1024 * 1024;
/** So many hold 256 MiB; each further one has no room. */
const ROOM_FOR = Math.floor((256 * 1024 * 1024) / (SIZE - 65_536));
const CLIENTS = ROOM_FOR + 8;

let target: Target;
let gate: Running;
beforeAll(async () => {
  target = await startTarget((_, res) => res.end('answered'));
  gate = await startBinary(['proxy', target.url]);
});
afterAll(async () => {
  await cleanUp();
  await closeTargets();
});

const small = {
  method: 'PATCH',
  path: PROJECT_PATH,
  headers: [JSON_TYPE],
  body: JSON.stringify(GOOD_PROJECT),
};

it('are refused where they are too many, while small bodies pass, and pass again afterwards', async () => {
  const bytes = Buffer.alloc(SIZE - 1, ' ');
  const clients: RawConnection[] = [];
  let refused = 0;
  const allRefused = new Promise<void>((resolve, reject) => {
    const count = async (client: RawConnection) => {
      // Whoever still sends when the connection is closed may not get to read why.
      const response = await client.response().catch(() => undefined);
      if (response) {
        expect(response.status).toBe(503);
        expect(valuesOf(response, 'connection')).toEqual(['close']);
        expect(JSON.parse(response.body.toString()).type).toBe('urn:patchgate:problem:overloaded');
      }
      if (++refused === CLIENTS - ROOM_FOR) resolve();
    };
    const start = async () => {
      for (let i = 0; i < CLIENTS; i++) {
        const client = await RawConnection.open(gate.port);
        clients.push(client);
        client.write(`PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${SIZE}\r\n\r\n`);
        if (!client.socket.write(bytes))
          await Promise.race([once(client.socket, 'drain').catch(() => {}), client.closed()]);
        count(client).catch(reject);
      }
    };
    start().catch(reject);
  });
  await allRefused;
  expect((await sendRaw(gate.port, small)).status).toBe(200);
  for (const client of clients) client.close();

  const large = { ...small, body: small.body.padEnd(SIZE, ' ') };
  let status = 503;
  // The gate hears of them one by one that they are gone.
  for (let tries = 0; status === 503 && tries < 100; tries++) {
    const answer = await sendRaw(gate.port, large).catch(() => ({ status: 503 }));
    status = answer.status;
  }
  expect(status).toBe(200);
  expect(target.received).toHaveLength(2);
});
