/** What the modes let pass goes out byte for byte; what could get past the gate does not. */
import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import {
  BAD_PROJECT,
  GOOD_PROJECT,
  JSON_TYPE,
  ODD_PROJECT_TEXT,
  PROJECT_PATH,
} from '../support/e2e-bodies.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, type RawRequest, sendRaw, valuesOf } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

let target: Target;
beforeAll(async () => {
  target = await startTarget();
});
beforeEach(() => {
  target.received.length = 0;
});

const DELETES_ALL = JSON.stringify({ ...GOOD_PROJECT, environments: [] });

function patch(body: string | Buffer, headers: RawRequest['headers'] = [JSON_TYPE]): RawRequest {
  return { method: 'PATCH', path: PROJECT_PATH, headers, body };
}

/** The same request with its body in chunks. */
function inChunks({ method, path, headers = [], body }: RawRequest): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const bytes = Buffer.from(body as string);
  const parts = [Buffer.from(`${lines.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n`)];
  for (let start = 0; start < bytes.length; start += 100_000) {
    const chunk = bytes.subarray(start, start + 100_000);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const ONLY = () => {
  expect(target.received).toHaveLength(1);
  return target.received[0]?.body as Buffer;
};

describe('enforce', () => {
  let gate: Running;
  beforeAll(async () => {
    gate = await startBinary(['proxy', target.url]);
  });

  it.each([
    ['as sent', Buffer.from(ODD_PROJECT_TEXT), []],
    ['compressed', gzipSync(ODD_PROJECT_TEXT), [['Content-Encoding', 'gzip']]],
  ] as const)('forwards what passes %s', async (_, body, headers) => {
    const response = await sendRaw(gate.port, patch(body, [JSON_TYPE, ...headers]));
    expect(response.status).toBe(200);
    expect(ONLY().equals(body)).toBe(true);
  });

  it('keeps what is too large from the target, with a length and in chunks', async () => {
    const large = patch(JSON.stringify({ ...GOOD_PROJECT, name: 'x'.repeat(6_000_000) }));
    for (const request of [large, inChunks(large)]) {
      const response = await sendRaw(gate.port, request);
      expect(response.status).toBe(413);
      expect(response.body.toString()).toContain('request.too-large');
    }
    expect(target.received).toEqual([]);
  });

  it('goes on with the connection after a body that was too large', async () => {
    const client = await RawConnection.open(gate.port);
    const large = patch('x'.repeat(6_000_000));
    client.write(inChunks(large)).write(inChunks(patch(ODD_PROJECT_TEXT)));
    expect((await client.response()).status).toBe(413);
    expect((await client.response()).status).toBe(200);
    client.close();
  });

  it.each(['GET', 'DELETE', 'POST'])(
    'is not got round by a %s whose framing hides behind 2,000 headers',
    async (method) => {
      const smuggled = `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
      const filler = 'a:\r\n'.repeat(2100);
      const size = smuggled.length.toString(16);
      for (const framing of [
        `Transfer-Encoding: chunked\r\n\r\n${size}\r\n${smuggled}\r\n0\r\n\r\n`,
        `Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      ]) {
        const text = `${method} /x HTTP/1.1\r\nHost: localhost\r\n${filler}${framing}`;
        expect((await sendRaw(gate.port, text)).status).toBe(200);
      }
      expect(target.received.map(({ method: one, body }) => `${one} ${body}`)).toEqual([
        `${method} ${smuggled}`,
        `${method} ${smuggled}`,
      ]);
    },
  );
});

describe.each(['warn', 'off'] as const)('%s', (validation) => {
  let gate: InProcess;
  let guarded: InProcess;
  beforeAll(async () => {
    const settings = { target: target.url, validation };
    gate = await startGate({ ...settings, guard: 'off' });
    guarded = await startGate(settings);
  });

  it.each([
    ['that break the contract', JSON.stringify(BAD_PROJECT)],
    ['that are no JSON', '{"name":'],
    ['that are empty', ''],
  ])('forwards bodies %s as sent', async (_, body) => {
    const response = await sendRaw(gate.port, patch(body));
    expect(response.status).toBe(200);
    expect(ONLY().toString()).toBe(body);
    expect(valuesOf(response, 'patchgate-findings').length).toBe(validation === 'warn' ? 1 : 0);
  });

  it('forwards a body past the limit whole, with a length and in chunks', async () => {
    const large = patch(`"${randomBytes(4_500_000).toString('base64')}"`);
    const digest = sha(Buffer.from(large.body as string));
    expect((await sendRaw(gate.port, large)).status).toBe(200);
    expect((await sendRaw(gate.port, inChunks(large))).status).toBe(200);
    expect(target.received.map(({ body }) => sha(body))).toEqual([digest, digest]);
    expect(target.received.map(({ headers }) => headers['transfer-encoding'])).toEqual([
      undefined,
      'chunked',
    ]);
  });

  it.each([
    ['behind a byte order mark', `\uFEFF${DELETES_ALL}`],
    ['in a body past the limit', `${' '.repeat(6_000_000)}${DELETES_ALL}`],
    ['behind a name that comes twice', DELETES_ALL.replace('{', '{"environments":[{}],')],
  ])('does not let past the guard what hides %s, and says why', async (_, body) => {
    const response = await sendRaw(guarded.port, patch(body));
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(JSON.parse(response.body.toString()).findings[0].hint).toContain('--no-guard');
    expect(target.received).toEqual([]);
  });

  it('forwards under the guard what breaks the contract, and what it does not look at', async () => {
    expect((await sendRaw(guarded.port, patch(JSON.stringify(BAD_PROJECT)))).status).toBe(200);
    const feature = { ...patch('{'), path: '/api/v2/accounts/current/features/7' };
    expect((await sendRaw(guarded.port, feature)).status).toBe(200);
  });
});

describe('--no-guard', () => {
  it.each(['enforce', 'warn', 'off'] as const)(
    'lets through what deletes all, with --validation %s',
    async (validation) => {
      const { port } =
        validation === 'warn'
          ? await startBinary(['proxy', target.url, '--no-guard', '--validation', validation])
          : await startGate({ target: target.url, guard: 'off', validation });
      expect((await sendRaw(port, patch(DELETES_ALL))).status).toBe(200);
      expect(ONLY().toString()).toBe(DELETES_ALL);
    },
  );
});
