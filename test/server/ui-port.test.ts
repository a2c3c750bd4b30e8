import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { fileOf, makeCertificate } from '../support/certificates.ts';
import { laterRefusal } from '../support/errors.ts';
import { PROJECT_URL } from '../support/gate.ts';
import { type InProcess, type Settings, startGate } from '../support/in-process.ts';
import { freePort, startTarget } from '../support/target.ts';

const TOKEN = 'f00dcafe-f00dcafe-f00d';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: JsonObject;
}

/** The inspector of a gate, as its notice says. */
function inspectorOf({ notices }: InProcess) {
  const notice = notices.find((text) => text.startsWith('inspector: ')) ?? '';
  const [, url = '', token = TOKEN] =
    /^inspector: (\S+?)\/(?:#token=([\da-f]{32}))?(?: |$)/.exec(notice) ?? [];
  const bearer = { authorization: `Bearer ${token}` };
  /** @param line `GET /`, without a token; `GET health` with it, of the control API */
  const ask = async (line: string, headers: Record<string, string> = {}, body?: unknown): Promise<Answer> => {
    const [method, path = ''] = line.split(' ');
    const isControl = !path.startsWith('/');
    const given = { ...(isControl && bearer), ...headers };
    const asked = request(`${url}${isControl ? '/__patchgate/' : ''}${path}`, { method, headers: given });
    asked.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
    const [response] = await once(asked, 'response');
    const content = await text(response);
    const isJson = /json/.test(response.headers['content-type'] ?? '');
    const json = isJson && content ? JSON.parse(content) : {};
    return { status: response.statusCode, headers: response.headers, text: content, json };
  };
  return { url, token, notice, ask };
}

async function start(settings: Settings = {}, kind: 'proxy' | 'fake' = 'fake') {
  const gate = await startGate({ ui: 0, ...settings }, kind);
  return { gate, ...inspectorOf(gate) };
}

describe('the inspector', () => {
  it('answers all with headers that keep other pages out', async () => {
    const { ask, url } = await start();
    const answers = [
      await ask('GET /nothing'),
      await ask('POST /'),
      await ask('GET /__patchgate/health'),
      await ask('GET health'),
      await ask('GET nothing'),
      await ask('GET health', { host: 'evil.example' }),
      await ask('GET health', { origin: 'http://evil.example' }),
      await ask('GET /', { host: new URL(url).host, origin: 'null' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 401, 200, 404, 421, 403, 403]);
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; /,
        ),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
    for (const { headers } of answers) expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('makes a token for itself alone', async () => {
    const { gate, token, notice, ask } = await start();
    expect(notice).toMatch(/^inspector: http:\/\/127\.0\.0\.1:\d+\/#token=[\da-f]{32}$/);
    expect((await start()).token).not.toBe(token);
    expect((await ask('GET health')).json).toMatchObject({ status: 'ok', mode: 'fake' });
    const health = (headers = {}) => fetch(`${gate.url}/__patchgate/health`, { headers });
    expect((await health()).status).toBe(200);
    const asPage = { origin: gate.url, authorization: `Bearer ${token}` };
    expect((await health(asPage)).status).toBe(403);
  });

  it('takes the control token that is given, and does not show it', async () => {
    const { gate, notice, ask } = await start({ controlToken: TOKEN });
    expect(notice).toMatch(/^inspector: http:\/\/127\.0\.0\.1:\d+\/ \(it asks for the control token\)$/);
    expect((await ask('GET health')).status).toBe(200);
    expect((await ask('GET /__patchgate/health')).status).toBe(401);
    expect(gate.notices.join()).not.toContain(TOKEN);
  });

  it('stays on loopback, in plain HTTP', async () => {
    const { cert, key } = await makeCertificate(['localhost']);
    const tls = { tlsCert: fileOf(cert), tlsKey: fileOf(key) };
    const { url } = await start({ ...tls, host: '0.0.0.0', controlToken: TOKEN });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });

  it('ends with the gate, streams of events too', async () => {
    const { gate, url, token } = await start();
    const headers = { authorization: `Bearer ${token}` };
    const events = await fetch(`${url}/__patchgate/events`, { headers });
    const told = events.text();
    await fetch(`${gate.url}${PROJECT_URL}`);
    await gate.gate.close();
    expect(await told).toContain('event: exchange\nid: 1\n');
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('says where its port is in use, and leaves nothing open', async () => {
    const target = await startTarget();
    const port = await freePort();
    const refused = startGate({ target: 'http://127.0.0.1:9', port, ui: target.port });
    expect(await laterRefusal('cannot-listen', refused)).toBe(
      `cannot listen on 127.0.0.1:${target.port}: the port is in use (end what uses it, or choose another with --port or --ui (0 takes a free one))`,
    );
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
  });
});
