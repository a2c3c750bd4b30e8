/** Compressed answers: they reach the client as they are, and decoding them for the recording and the guard has bounds. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { RawConnection, requestBytes, sendRaw, valuesOf } from '../support/raw.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MIB = 1024 * 1024;

/** A target that answers each path with the bytes and the coding that stand for it. */
async function startCoded(answers: Readonly<Record<string, { coding: string; bytes: Buffer }>>) {
  return startTarget((req, res) => {
    const { coding, bytes } = answers[req.url as string] ?? { coding: 'identity', bytes: Buffer.from('{}') };
    res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding }).end(bytes);
  });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile());
}

const text = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('an answer that would become much larger', () => {
  const spaces = Buffer.alloc(64 * MIB, ' ');
  const BOMBS = {
    '/br': { coding: 'br', bytes: brotliCompressSync(spaces) },
    '/gzip': { coding: 'gzip', bytes: gzipSync(spaces) },
    '/deflate': { coding: 'deflate', bytes: deflateSync(spaces) },
    '/raw': { coding: 'deflate', bytes: deflateRawSync(spaces) },
    '/chained': { coding: 'gzip, gzip, br', bytes: brotliCompressSync(gzipSync(gzipSync(spaces))) },
    [PROJECT_PATH]: { coding: 'gzip, gzip', bytes: gzipSync(gzipSync(spaces)) },
  };

  it('is handed on as it came, and left out of the recording', async () => {
    const target = await startCoded(BOMBS);
    const cwd = temporaryFolder();
    const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
    for (const [path, { bytes }] of Object.entries(BOMBS))
      expect((await sendRaw(gate.port, { path })).body.equals(bytes)).toBe(true);
    const { stderr } = await gate.stop();
    for (const path of Object.keys(BOMBS)) expect(stderr).toContain(`recorded in part: GET ${path}: `);
    const sizes = filesIn(join(cwd, 'recordings')).map((file) => statSync(file).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(20_000);

    const replay = await startBinary(['replay'], { cwd });
    for (const path of Object.keys(BOMBS)) expect((await sendRaw(replay.port, { path })).status).toBe(501);
  });
});

describe('an answer of usual size', () => {
  const body = { _data: { id: 42, ...GOOD_PROJECT } };
  const CODINGS: [string, (bytes: Buffer) => Buffer][] = [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes))],
  ];

  it.each(CODINGS)('is learnt from and recorded before the client has it: %s', async (coding, encode) => {
    const bytes = encode(text(body));
    const target = await startCoded({ [PROJECT_PATH]: { coding, bytes } });
    const cwd = temporaryFolder();
    const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
    const client = await RawConnection.open(gate.port);
    client.write(requestBytes({ path: PROJECT_PATH }));
    expect((await client.response()).body.equals(bytes)).toBe(true);
    const without = { ...GOOD_PROJECT, environments: [] };
    client.write(
      requestBytes({ method: 'PATCH', path: PROJECT_PATH, headers: [JSON_TYPE], body: text(without) }),
    );
    expect((await client.response()).status).toBe(409);
    await gate.stop('SIGKILL');
    // The next start finishes what was killed.
    const replay = await startBinary(['replay'], { cwd });
    const answer = await sendRaw(replay.port, { path: PROJECT_PATH });
    expect(valuesOf(answer, 'content-encoding')).toEqual([]);
    expect(JSON.parse(answer.body.toString())).toEqual(body);
    client.close();
  });
});

describe('an answer that is not what it says', () => {
  it.each([
    ['a coding that Node cannot undo', 'zstd', Buffer.from('(\xb5/\xfd')],
    ['a stream that is cut', 'gzip', gzipSync(text(GOOD_PROJECT)).subarray(0, -8)],
    ['something behind its end', 'gzip', Buffer.concat([gzipSync('{}'), Buffer.from('more')])],
    ['another coding', 'br', gzipSync('{}')],
  ])('passes, and is left out of the recording: %s', async (_, coding, bytes) => {
    const target = await startCoded({ [PROJECT_PATH]: { coding, bytes } });
    const gate = await startBinary(['proxy', target.url, '--record'], { cwd: temporaryFolder() });
    const answer = await sendRaw(gate.port, { path: PROJECT_PATH });
    expect(valuesOf(answer, 'content-encoding')).toEqual([coding]);
    expect(answer.body.equals(bytes)).toBe(true);
    const { stderr } = await gate.stop();
    expect(stderr).toContain('recorded in part: ');
  });
});
