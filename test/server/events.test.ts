import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { createEvents } from '../../src/server/events.ts';
import { ExchangeList } from '../../src/server/exchange-list.ts';
import { finished } from '../support/finished-exchange.ts';
import { RawConnection } from '../support/raw.ts';
import { closeServer, listen } from '../support/serve-upstream.ts';

let server: Server;
afterEach(() => closeServer(server));

const APPROVALS = { subscribe: () => () => true };
const REQUEST = 'GET /events HTTP/1.1\r\nHost: x\r\n\r\n';

it('a subscriber that does not read is cut off', async () => {
  const exchanges = new ExchangeList(DEFAULT_REDACTION);
  server = createServer(createEvents(exchanges, APPROVALS, new AbortController().signal));
  const idle = connect(await listen(server), '127.0.0.1').on('error', () => undefined);
  const [connection] = await once(server, 'connection');
  const closed = once(connection, 'close');
  idle.write(REQUEST);
  await once(idle, 'readable');
  const request = { method: 'GET', url: '/', headers: ['x', 'y'.repeat(60_000)] };
  for (let id = 1; id <= 500; id++) exchanges.add(finished({ id, request }));
  await closed;
  idle.destroy();
});

it('stopping ends a stream, also one that begins then', async () => {
  const stopping = new AbortController();
  const exchanges = new ExchangeList(DEFAULT_REDACTION);
  server = createServer(createEvents(exchanges, APPROVALS, stopping.signal));
  const client = await RawConnection.open(await listen(server));
  client.write(REQUEST);
  await client.came(':');
  stopping.abort();
  exchanges.add(finished());
  const { body, isWhole } = await client.response();
  expect([body.toString(), isWhole]).toEqual([':\n\n', true]);
  client.write(REQUEST);
  expect((await client.response()).isWhole).toBe(true);
  client.close();
});
