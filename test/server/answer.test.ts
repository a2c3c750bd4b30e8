import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import type { Finding } from '../../src/model/finding.ts';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { attempt, findingsHeader, type Step } from '../../src/server/answer.ts';
import { type Exchange, newExchange } from '../../src/server/exchange.ts';
import { listen } from '../support/serve-upstream.ts';

let close: (() => void) | undefined;
afterEach(() => close?.());

/** The port of a server that answers each request as `answer` has it. */
async function serve(answer: (res: ServerResponse) => Step): Promise<number> {
  const server = createServer((req, res) => {
    const exchange: Exchange = newExchange(req, res, {
      ...{ redaction: DEFAULT_REDACTION, nextId: () => 1, onFinished: () => undefined },
    });
    exchange.verdict = { outcome: 'pass', findings: [finding('/environments')], omitted: 0 };
    attempt(exchange, () => answer(res));
  });
  close = () => server.close().closeAllConnections();
  return listen(server);
}

it.each([
  [200, [], true],
  [200, ['Content-Length', '0'], false],
  [204, [], false],
  [304, [], false],
])(
  'sends the head of a %d with %j before the end of a body that flows: %s',
  async (status, headers, isEarly) => {
    const body = new Readable({ read: () => undefined });
    let early = 0;
    const port = await serve((res) => {
      setImmediate(() => {
        early = res.socket?.bytesWritten ?? 0;
        body.push(null);
      });
      return { status, message: '', headers, body, from: 'target' };
    });
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(status);
    // The head of an answer without a body is all of it: who has it, has the answer.
    expect(early > 0).toBe(isEarly);
  },
);

it.each<[string, string[], string | undefined]>([
  ['1.0', [], 'ECONNRESET'],
  ['1.0', ['Content-Length', '10'], undefined],
  ['1.1', [], undefined],
])('cuts an answer of HTTP/%s with %j off visibly', async (version, headers, code) => {
  const body = new Readable({ read: () => undefined });
  body.push('half');
  const port = await serve(() => ({ status: 200, message: '', headers, body, from: 'target' }));
  const socket = connect(port, '127.0.0.1');
  let seen: string | undefined;
  socket.on('error', (error: NodeJS.ErrnoException) => {
    seen = error.code;
  });
  socket.write(`GET / HTTP/${version}\r\nHost: x\r\n\r\n`);
  // Node tells those who have not read it all of an end only.
  socket.on('data', (chunk) => {
    const failed = new PatchgateError('target-unreachable', 'it broke off');
    if (String(chunk).includes('half')) setImmediate(() => body.destroy(failed));
  });
  await new Promise((resolve) => socket.once('close', resolve));
  expect(seen).toBe(code);
});

function finding(pointer: string): Finding {
  return {
    rule: 'schema.unknown-field',
    severity: 'warn',
    basis: 'inferred',
    pointer,
    message: 'unknown',
    hint: 'did you mean x?',
  };
}

it('the header of findings is ASCII without control characters, and still says the same', () => {
  const pointer = '/é☃😀\u007f\u0000\r\n"\\\ud800';
  const value = findingsHeader([finding(pointer)]);
  expect(value).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(value)[0].pointer).toBe(pointer);
});

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'the header of findings holds as many whole items as fit into 4 KiB (pointers of %i)',
  (length) => {
    const long = finding('x'.repeat(5000));
    const findings = [long, ...Array.from({ length: 100 }, () => finding('☃'.repeat(length)))];
    const value = findingsHeader(findings);
    const items = JSON.parse(value).length;
    const each = (value.length - 1) / items;
    expect(value.length).toBeLessThanOrEqual(4096);
    expect(value.length + each).toBeGreaterThan(4096);
  },
);
