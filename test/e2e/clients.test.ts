/** Clients that people really use, as they come. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axios from 'axios';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Running, runProgram, startBinary } from '../support/binary.ts';
import { BAD_PROJECT, GOOD_PROJECT, ODD_PROJECT_TEXT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startTarget, type Target } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const GOOD = JSON.stringify(GOOD_PROJECT);
const BAD = JSON.stringify(BAD_PROJECT);
const TYPE = 'Content-Type: application/json';
const PATCH = ['-X', 'PATCH', '-H', TYPE];
const SUPPORT = fileURLToPath(new URL('../support/', import.meta.url));

let target: Target;
let gate: Running;
beforeAll(async () => {
  target = await startTarget((req, res, body) => {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ method: req.method, bytes: body.length }));
  });
  gate = await startBinary(['proxy', target.url]);
});
beforeEach(() => {
  target.received.length = 0;
});

const bodies = () => target.received.map(({ body }) => body.toString());

describe('curl', { tags: 'curl' }, () => {
  const curl = (args: string[], stdin = '') =>
    runProgram('curl', ['-sS', '-w', '\n%{http_code}', ...args], { stdin });
  const url = () => gate.url + PROJECT_PATH;

  it.each([[], ['--http1.0'], ['--http2']])('gets, and patches what is good %s', async (...flags) => {
    const read = await curl([...flags, `${gate.url}/api/v2/anything`]);
    expect(read).toMatchObject({ code: 0, stderr: '', stdout: '{"method":"GET","bytes":0}\n200' });
    const patched = await curl([...flags, ...PATCH, '--data-binary', ODD_PROJECT_TEXT, url()]);
    expect(patched.stdout).toMatch(/^\{"method":"PATCH".*\n200$/);
    expect(bodies()[1]).toBe(ODD_PROJECT_TEXT);
    const refused = await curl([...flags, ...PATCH, '-d', BAD, url()]);
    expect(refused.stdout).toMatch(/"\/languages".*\n422$/s);
    expect(target.received).toHaveLength(2);
  });

  it('uploads in chunks from its standard input', async () => {
    const patched = await curl([...PATCH, '-T', '-', url()], ODD_PROJECT_TEXT);
    expect(patched.stdout).toMatch(/\n200$/);
    const refused = await curl([...PATCH, '-T', '-', url()], BAD);
    expect(refused.stdout).toMatch(/\n422$/);
    const other = await curl(['-T', '-', `${gate.url}/api/v2/file`], 'not judged');
    expect(other.stdout).toMatch(/\n200$/);
    expect(bodies()).toEqual([ODD_PROJECT_TEXT, 'not judged']);
    expect(target.received[1]?.headers['transfer-encoding']).toBe('chunked');
  });

  it('waits for 100 Continue before a body of 2 MB', async () => {
    const folder = temporaryFolder();
    const big = join(folder, 'big.json');
    const text = JSON.stringify({ ...GOOD_PROJECT, name: 'n'.repeat(2_000_000) });
    writeFileSync(big, text);
    const flags = ['-v', '-X', 'PATCH', '-H', TYPE, '-H', 'Expect: 100-continue', '--data-binary', `@${big}`];
    const patched = await curl([...flags, url()]);
    expect(patched.stdout).toMatch(/\n200$/);
    expect(patched.stderr).toContain('HTTP/1.1 100 Continue');
    expect(bodies()).toEqual([text]);
  });

  it('is told at once of a body past the limit', async () => {
    const big = join(temporaryFolder(), 'big.bin');
    writeFileSync(big, randomBytes(8_000_000));
    const refused = await curl(['-X', 'PATCH', '-H', TYPE, '--data-binary', `@${big}`, url()]);
    expect(refused.stdout).toMatch(/request\.too-large.*\n413$/s);
    expect(target.received).toEqual([]);
  });
});

it('axios patches what is good, and is told of what is bad', async () => {
  const headers = { 'content-type': 'application/json' };
  const patched = await axios.patch(gate.url + PROJECT_PATH, ODD_PROJECT_TEXT, {
    headers,
    transformRequest: [(text) => text],
  });
  expect([patched.status, patched.data]).toMatchObject([200, { method: 'PATCH' }]);
  expect(bodies()).toEqual([ODD_PROJECT_TEXT]);
  const refused = await axios.patch(gate.url + PROJECT_PATH, BAD_PROJECT, { validateStatus: () => true });
  expect([refused.status, refused.headers['patchgate-blocked']]).toEqual([422, 'invalid-request']);
  expect(bodies()).toHaveLength(1);
});

it("Node's fetch sends fifty at once, each answered with its own", async () => {
  const sizes = Array.from({ length: 50 }, (_, i) => i);
  const answers = await Promise.all(
    sizes.map(async (size) => {
      const body = size % 5 === 0 ? BAD : GOOD + ' '.repeat(size);
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(gate.url + PROJECT_PATH, { method: 'PATCH', headers, body });
      return response.status === 422 ? 'blocked' : ((await response.json()) as { bytes: number }).bytes;
    }),
  );
  expect(answers).toEqual(sizes.map((size) => (size % 5 === 0 ? 'blocked' : GOOD.length + size)));
  expect(target.received).toHaveLength(40);
});

describe("Python's http.client", { tags: 'python' }, () => {
  it('gets and patches over one connection, with a length and in chunks', async () => {
    const { code, stdout, stderr } = await runProgram('python3', [
      join(SUPPORT, 'client.py'),
      String(gate.port),
      GOOD,
      BAD,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ method, status }) => `${method} ${status}`).slice(0, -1)).toEqual([
      ...['GET 200', 'PATCH 200', 'PATCH 422', 'PATCH 200', 'PATCH 422', 'HEAD 200', 'DELETE 200'],
    ]);
    expect(lines.at(-1)).toEqual({ connections: 1 });
    expect(bodies()).toEqual(['', GOOD, GOOD, '', '']);
  });
});
