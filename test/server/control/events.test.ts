import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { Approvals } from '../../../src/guard/approvals.ts';
import { FileApprovals } from '../../../src/guard/file-approvals.ts';
import { DEFAULT_REDACTION } from '../../../src/recordings/redact/redaction.ts';
import { createEvents } from '../../../src/server/control/events.ts';
import { ExchangeList } from '../../../src/server/exchange-list.ts';
import { finished } from '../../support/finished-exchange.ts';
import { RawConnection } from '../../support/raw.ts';
import { closeServer, listen } from '../../support/serve-upstream.ts';

const APPROVALS = new Approvals({ book: new FileApprovals(), lifetime: 1 });

let server: Server | undefined;
afterEach(async () => {
  if (server) await closeServer(server);
});

it('stopping ends a stream whose client has no byte of it yet, and nothing is written to it any more', async () => {
  const exchanges = new ExchangeList(DEFAULT_REDACTION);
  const stopping = new AbortController();
  const events = createEvents(exchanges, APPROVALS, stopping.signal);
  const errors: Error[] = [];
  const responses: ServerResponse[] = [];
  server = createServer((req, res) => {
    res.on('error', (error) => errors.push(error));
    responses.push(res);
    if (req.url === '/events') events(req, res);
  });
  const client = await RawConnection.open(await listen(server));
  // The second answer waits for the first, which ends when the gate has stopped already.
  client.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /events HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => responses).toHaveLength(2);
  stopping.abort();
  exchanges.add(finished({ id: 1 }));
  responses[0]?.end('first');
  expect((await client.response()).body.toString()).toBe('first');
  const { body, isWhole } = await client.response();
  client.close();
  expect([body.toString(), isWhole]).toEqual([':\n\n', true]);
  expect(errors).toEqual([]);
});

it('a subscriber that comes while it stops has an answer that ends', async () => {
  const events = createEvents(new ExchangeList(DEFAULT_REDACTION), APPROVALS, AbortSignal.abort());
  server = createServer(events);
  const client = await RawConnection.open(await listen(server));
  client.write('GET /events HTTP/1.1\r\nHost: x\r\n\r\n');
  expect((await client.response()).isWhole).toBe(true);
  client.close();
});
