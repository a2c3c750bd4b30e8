import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import type { Finding } from '../../src/model/finding.ts';
import { DEFAULT_REDACTION } from '../../src/recordings/redaction/redaction.ts';
import { Cors } from '../../src/server/cors.ts';
import { ExchangeInFlight } from '../../src/server/exchange-in-flight.ts';
import { Sessions } from '../../src/server/sessions.ts';

const FLOW = { resume: () => undefined };
const FINDING: Finding = {
  ...{ rule: 'project.environment-deleted', severity: 'warn', basis: 'stated', pointer: '/environments' },
  ...{ message: 'environment 2 (Staging) is left out', source: 'service-api 4.1 rule 4' },
} as Finding;

function begun(
  req: IncomingMessage,
  res: ServerResponse,
  findings: readonly Finding[] = [],
): ExchangeInFlight {
  const exchange = new ExchangeInFlight(req, res, {
    ...{ sessions: new Sessions(0), redaction: DEFAULT_REDACTION, cors: new Cors() },
    ...{ nextId: () => 1, onSeen: () => undefined },
  });
  exchange.verdict = { outcome: 'pass', findings, omitted: 0 };
  exchange.begin();
  return exchange;
}

let close: (() => void) | undefined;
afterEach(() => close?.());

/** Answers one request as `answer` has it. */
async function answered(
  answer: (exchange: ExchangeInFlight, res: ServerResponse) => void,
  findings: readonly Finding[] = [],
): Promise<Response> {
  const server = createServer((req, res) => answer(begun(req, res, findings), res));
  close = () => server.close();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
}

it.each([
  [200, [], true],
  [200, ['Content-Length', '0'], false],
  [204, [], false],
  [304, [], false],
])('sends the head of a %d with %j before the end: %s', async (status, headers, isEarly) => {
  let early: number | undefined;
  const response = await answered((exchange, res) => {
    exchange.head({ status, message: '', headers }, FLOW, 'target');
    early = res.socket?.bytesWritten;
    exchange.end();
  });
  expect(response.status).toBe(status);
  // The head of an answer without a body is all of it: who has it, has the answer.
  expect((early ?? 0) > 0).toBe(isEarly);
});

it('says in an answer of its own too what was found', async () => {
  const response = await answered(
    (exchange) => exchange.fail(new PatchgateError('target-timeout', 'the target did not answer')),
    [FINDING],
  );
  expect(response.status).toBe(504);
  expect(JSON.parse(response.headers.get('patchgate-findings') as string)).toEqual([
    { rule: 'project.environment-deleted', severity: 'warn', pointer: '/environments' },
  ]);
});

it.each<[string, readonly string[], string | undefined]>([
  ['1.0', [], 'ECONNRESET'],
  ['1.0', ['Content-Length', '10'], undefined],
  ['1.1', [], undefined],
])('cuts an answer of HTTP/%s with %j off visibly', async (version, headers, code) => {
  const exchanges: ExchangeInFlight[] = [];
  const server = createServer((req, res) => {
    const exchange = begun(req, res);
    exchange.head({ status: 200, message: '', headers }, FLOW, 'target');
    exchange.data(Buffer.from('half'));
    exchanges.push(exchange);
  });
  close = () => server.close();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let seen: string | undefined;
  socket.on('error', (error: NodeJS.ErrnoException) => {
    seen = error.code;
  });
  socket.write(`GET / HTTP/${version}\r\nHost: x\r\n\r\n`);
  // Node tells those who have not read it all of an end only.
  socket.on('data', (chunk) => {
    const failed = new PatchgateError('target-unreachable', 'it broke off');
    if (String(chunk).includes('half')) setImmediate(() => exchanges[0]?.fail(failed));
  });
  await new Promise((resolve) => socket.once('close', resolve));
  expect(seen).toBe(code);
});
