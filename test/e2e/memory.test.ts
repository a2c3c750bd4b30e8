/** What streams through leaves no trace in memory. Linux tells how much a process has held at most. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startStreamingTarget, type Target } from '../support/target.ts';

const MIB = 1024 * 1024;
const SIZE = 200 * MIB;
const CHUNK = Buffer.alloc(256 * 1024, 7);

let target: Target;
let gate: Running;
let received = 0;
beforeAll(async () => {
  target = await startStreamingTarget(async (req, res) => {
    received = 0;
    for await (const chunk of req) received += (chunk as Buffer).length;
    if (req.method === 'POST') res.end(String(received));
    else {
      for (let left = SIZE; left > 0; left -= CHUNK.length) if (!res.write(CHUNK)) await once(res, 'drain');
      res.end();
    }
  });
  gate = await startBinary(['proxy', target.url]);
  // What it needs for its first requests does not count.
  await fetch(gate.url, { method: 'POST', body: 'warm' });
  await fetch(`${gate.url}/__patchgate/health`);
});

/** Runs the work and tells by how many bytes the gate's memory rose above what it was; 0 where nobody can tell. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const status = `/proc/${gate.pid}/status`;
  const read = (name: string) => {
    if (!existsSync(status)) return 0;
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(status, 'utf8'))?.[1]) * 1024;
  };
  const before = read('VmRSS');
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, read('VmRSS'));
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(most, read('VmRSS')) - before;
}

describe('memory stays flat', () => {
  it.each([{ 'content-length': SIZE }, { 'transfer-encoding': 'chunked' }])(
    'for an upload of 200 MB (%o)',
    async (headers) => {
      let answer = '';
      const growth = await growthDuring(async () => {
        const outgoing = request(`${gate.url}/upload`, { method: 'POST', headers });
        const response = once(outgoing, 'response');
        for (let left = SIZE; left > 0; left -= CHUNK.length) {
          if (!outgoing.write(CHUNK)) await once(outgoing, 'drain');
        }
        outgoing.end();
        const [incoming] = await response;
        for await (const chunk of incoming) answer += chunk;
      });
      expect(answer).toBe(String(SIZE));
      expect(growth).toBeLessThan(150 * MIB);
    },
  );

  it.each(['GET /download', `PATCH ${PROJECT_PATH}`])('for a download of 200 MB (%s)', async (line) => {
    const [method, path] = line.split(' ');
    let size = 0;
    const growth = await growthDuring(async () => {
      const body =
        method === 'PATCH'
          ? '{"name":"N","languages":[],"environments":[{"id":1,"name":"A","isEnabled":true}]}'
          : null;
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${gate.url}${path}`, { method: method as string, headers, body });
      expect(response.status).toBe(200);
      for await (const chunk of response.body as ReadableStream<Uint8Array>) size += chunk.length;
    });
    expect(size).toBe(SIZE);
    expect(growth).toBeLessThan(150 * MIB);
  });
});
