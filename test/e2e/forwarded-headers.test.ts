/** What the target is told of who asks: nothing but what the client says. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { type RawRequest, sendRaw } from '../support/raw.ts';
import { type Received, startTarget, type Target } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEY = 'k3y-of-staging-0815';
let target: Target;
const gates: Record<'plain' | 'setting', InProcess> = {} as never;
beforeAll(async () => {
  target = await startTarget();
  const to = { target: target.url };
  gates.plain = await startGate(to);
  const setHeader = ['X-Key=env:TARGET_KEY', 'X-Team=checkout', 'Cookie='];
  const env = { TARGET_KEY: KEY };
  gates.setting = await startGate({ ...to, setHeader }, 'proxy', env);
});

type Headers = [name: string, value: string][];

const HANDSHAKE: Headers = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
];
const WAYS: [string, RawRequest, Headers][] = [
  ['a judged request', { method: 'PATCH', path: PROJECT_PATH, body: JSON.stringify(GOOD_PROJECT) }, []],
  ['a streamed request', { path: '/x' }, []],
  ['a WebSocket', { path: '/socket' }, HANDSHAKE],
];

describe.each(WAYS)('%s', (_, request, own) => {
  /** The values of each header that was named, as the target got them. */
  const received = (...names: string[]): Record<string, string[]> => {
    const { rawHeaders } = target.received.at(-1) as Received;
    const all: Record<string, string[]> = {};
    rawHeaders.forEach((name, i) => {
      const value = rawHeaders[i + 1] as string;
      if (i % 2 === 0 && names.includes(name.toLowerCase()))
        all[name.toLowerCase()] = [...(all[name.toLowerCase()] ?? []), value];
    });
    return all;
  };
  const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'];
  const ask = async (gate: InProcess, headers: Headers = []) => {
    await sendRaw(gate.port, { ...request, headers: [...headers, ...own] });
    return received('host', ...FORWARDED);
  };
  const targetHost = () => `127.0.0.1:${target.port}`;
  const THEIRS: Headers = [
    ['X-Forwarded-For', '192.0.2.1'],
    ['x-forwarded-for', '192.0.2.2, 192.0.2.3'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Host', 'shop.example'],
  ];

  it('tells of nobody, and says on what it was told', async () => {
    expect(await ask(gates.plain)).toEqual({ host: [targetHost()] });
    expect(await ask(gates.plain, THEIRS)).toEqual({
      host: [targetHost()],
      'x-forwarded-for': ['192.0.2.1', '192.0.2.2, 192.0.2.3'],
      'x-forwarded-proto': ['https'],
      'x-forwarded-host': ['shop.example'],
    });
  });

  it('has the headers that are set, and not those of the client', async () => {
    const headers: Headers = [
      ['x-key', 'of the client'],
      ['Cookie', 'a=b'],
    ];
    await sendRaw(gates.setting.port, { ...request, headers: [...headers, ...own] });
    expect(received('x-key', 'x-team', 'cookie')).toEqual({ 'x-key': [KEY], 'x-team': ['checkout'] });
  });
});

it('keeps and shows nothing of a header that comes from the environment', async () => {
  const echo = await startTarget((req, res) =>
    res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ you: req.headers['x-key'] })),
  );
  const recordings = temporaryFolder();
  const settings = {
    target: echo.url,
    record: 'all' as const,
    recordings,
    setHeader: ['X-Key=env:TARGET_KEY'],
  };
  const { port, gate } = await startGate(settings, 'proxy', { TARGET_KEY: KEY });
  const { body } = await sendRaw(port, { path: '/echo' });
  expect(body.toString()).toBe(JSON.stringify({ you: KEY }));
  expect(JSON.stringify([...gate.exchanges()])).not.toContain(KEY);
  await gate.close();
  const files = readdirSync(recordings, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.json'),
  );
  expect(files).toHaveLength(1);
  const kept = readFileSync(join(recordings, files[0] as string), 'utf8');
  expect(kept).toContain('"you": "[redacted]"');
  expect(kept).not.toContain(KEY);
});
