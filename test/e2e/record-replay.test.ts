/** Recorded against the fake, replayed without it: the same statuses, the same bytes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answersTo, exchangeFilesIn } from '../support/answers.ts';
import { startBinary } from '../support/binary.ts';
import {
  BAD_PROJECT,
  GOOD_PROJECT,
  JSON_TYPE,
  ODD_PROJECT_TEXT,
  PROJECT_PATH,
} from '../support/e2e-bodies.ts';
import { startGate, startRecorder, startReplay } from '../support/in-process.ts';
import { RawConnection, type RawRequest, type RawResponse, sendRaw, valuesOf } from '../support/raw.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const patch = (path: string, body: unknown): RawRequest => ({
  method: 'PATCH',
  path,
  headers: [JSON_TYPE],
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const BASE = '/api/v2/accounts/current';
const TRAFFIC: RawRequest[] = [
  { path: PROJECT_PATH },
  patch(PROJECT_PATH, GOOD_PROJECT),
  patch(PROJECT_PATH, ODD_PROJECT_TEXT),
  { path: `${PROJECT_PATH}?fields=name&x=%20` },
  patch(`${BASE}/features/7`, { description: 'x' }),
  patch(`${BASE}/drafts/1001`, { draftId: 1001, percentTraffic: 50 }),
  patch(`${BASE}/projects/999`, GOOD_PROJECT),
  { path: `${BASE}/features/12345` },
  { method: 'HEAD', path: PROJECT_PATH },
];

function problemIn(response: RawResponse): Record<string, unknown> {
  return JSON.parse(response.body.toString()) as Record<string, unknown>;
}

function withoutTimes(files: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    [...files].map(([file, text]) => [file, text.replace(/"(?:recordedAt|durationMs)": ?[^,}\n]+/g, '')]),
  );
}

describe('a recording of the fake', () => {
  it('answers as the fake did, when that is gone, blocks, and explains; made again it is the same but for when', async () => {
    const cwd = temporaryFolder();
    const service = await startBinary(['fake']);
    const gate = await startBinary(['proxy', service.url, '--record', '--recording', 'checkout'], { cwd });
    const recorded = await answersTo(gate, TRAFFIC);
    expect((await gate.stop()).code).toBe(0);
    expect((await service.stop()).code).toBe(0);
    expect(recorded.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 404, 404, 200]);
    const files = exchangeFilesIn(join(cwd, 'recordings'));

    const replay = await startBinary(['replay', '--recording', 'checkout'], { cwd });
    expect(await answersTo(replay, TRAFFIC)).toEqual(recorded);
    // It is judged in front of.
    expect((await sendRaw(replay.port, patch(PROJECT_PATH, BAD_PROJECT))).status).toBe(422);
    // A miss is a 501 that explains, pointer by pointer.
    const missed = await sendRaw(replay.port, patch(PROJECT_PATH, { ...GOOD_PROJECT, name: 'Other' }));
    expect(missed.status).toBe(501);
    const problem = problemIn(missed);
    expect(problem).toMatchObject({ type: 'urn:patchgate:problem:no-recording', recording: 'checkout' });
    expect(JSON.stringify(problem)).toContain('/name');
    expect((await sendRaw(replay.port, { path: '/never/seen' })).status).toBe(501);
    await replay.said('501');
    expect([...files.keys()].some((file) => file.endsWith(join('projects', '42', 'PATCH.json')))).toBe(true);
    expect((await replay.stop()).code).toBe(0);
    // Replaying changes no exchange.
    expect(exchangeFilesIn(join(cwd, 'recordings'))).toEqual(files);

    const fake = await startGate({}, 'fake');
    const recorder = await startRecorder(cwd, fake.url, { recording: 'checkout' });
    await answersTo(recorder, TRAFFIC);
    await recorder.gate.close();
    expect(withoutTimes(exchangeFilesIn(join(cwd, 'recordings')))).toEqual(withoutTimes(files));
  });

  it('is played in order, its last answer again and again, and from the start after a reset', async () => {
    const cwd = temporaryFolder();
    let count = 0;
    const target = await startTarget((_req, res) => res.end(`answer ${++count}`));
    const recorder = await startRecorder(cwd, target.url);
    await answersTo(recorder, [{ path: '/next' }, { path: '/next' }, { path: '/next' }]);
    await recorder.gate.close();
    const replay = await startReplay(cwd);
    const bodies = async (times: number) =>
      (
        await answersTo(
          replay,
          Array.from({ length: times }, () => ({ path: '/next' })),
        )
      ).map(({ body }) => body);
    expect(await bodies(4)).toEqual(['answer 1', 'answer 2', 'answer 3', 'answer 3']);
    await fetch(`${replay.url}/__patchgate/reset`, { method: 'POST' });
    expect(await bodies(1)).toEqual(['answer 1']);
  });

  it('keeps bytes that are no text, and gives compressed ones back plain', async () => {
    const cwd = temporaryFolder();
    const bytes = Buffer.from([0, 255, 254, 13, 10, 128]);
    const target = await startTarget((req, res) => {
      if (req.url === '/bytes') res.end(bytes);
      else res.writeHead(200, { 'content-encoding': 'gzip', etag: '"1"' }).end(gzipSync('{"plain": true}'));
    });
    const recorder = await startRecorder(cwd, target.url);
    await answersTo(recorder, [{ path: '/bytes' }, { path: '/gzip' }]);
    await recorder.gate.close();
    await target.close();
    const replay = await startReplay(cwd);
    expect((await sendRaw(replay.port, { path: '/bytes' })).body.equals(bytes)).toBe(true);
    const plain = await sendRaw(replay.port, { path: '/gzip' });
    expect(plain.body.toString()).toBe('{"plain": true}');
    expect(valuesOf(plain, 'content-encoding')).toEqual([]);
  });
});

describe("JSON in another writer's style", () => {
  it('is replayed byte for byte', async () => {
    const texts = [
      '{"name": "Caf\\u00e9", "price": 1.0, "list": [1, 2]}',
      '{\n  "name" : "a",\n  "list" : [ 1, { } ]\n}\n',
      '{"html":"\\u003cb\\u003e"}\n',
    ];
    const cwd = temporaryFolder();
    const target = await startTarget((req, res) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end(texts[Number(req.url?.slice(1))]),
    );
    const traffic = texts.map((body, i) => ({ method: 'POST', path: `/${i}`, headers: [JSON_TYPE], body }));
    const proxy = await startBinary(['proxy', target.url, '--record'], { cwd });
    await answersTo(proxy, traffic);
    expect((await proxy.stop()).code).toBe(0);
    const replay = await startBinary(['replay'], { cwd });
    const answers = await answersTo(replay, traffic);
    expect(answers.map(({ body }) => body)).toEqual(texts);
  });
});

describe('a file that people wrote', () => {
  it('is answered from with the framing of this connection', async () => {
    const cwd = temporaryFolder();
    const headers = {
      'transfer-encoding': 'chunked',
      'content-length': '99',
      connection: 'close',
      'x-own': 'kept',
    };
    const exchange = {
      request: { method: 'GET', path: '/x', query: '', headers: {} },
      response: { status: 200, headers, body: { text: 'ok' } },
      meta: { recordedAt: '2026-11-20T12:00:00.000Z', durationMs: 1 },
    };
    const folder = join(cwd, 'recordings', 'default', 'x');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'GET.json'), JSON.stringify({ formatVersion: 1, exchanges: [exchange] }));
    const replay = await startReplay(cwd);
    const response = await sendRaw(replay.port, { path: '/x' });
    expect(response).toMatchObject({ status: 200, isWhole: true });
    expect(response.body.toString()).toBe('ok');
    expect(valuesOf(response, 'content-length')).toEqual(['2']);
    expect(valuesOf(response, 'transfer-encoding')).toEqual([]);
    expect(valuesOf(response, 'x-own')).toEqual(['kept']);
  });
});

describe('a miss', () => {
  it('of a body that is too large to be looked up is a 413, and the connection goes on', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'recordings/default'), { recursive: true });
    const replay = await startReplay(cwd);
    const client = await RawConnection.open(replay.port);
    client.write('POST /large HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = Buffer.from(`100000\r\n${'x'.repeat(1024 * 1024)}\r\n`);
    for (let i = 0; i < 66; i++) await new Promise((resolve) => client.socket.write(chunk, resolve));
    client.write('0\r\n\r\nGET /next HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect((await client.response()).status).toBe(413);
    expect((await client.response()).status).toBe(501);
    client.close();
  });
});
