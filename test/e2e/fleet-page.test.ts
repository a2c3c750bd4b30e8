/** The files of docs/fleet.md, run without containers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/binary.ts';
import { startNginx } from '../support/nginx.ts';
import { RawConnection } from '../support/raw.ts';
import { startTarget } from '../support/target.ts';

const page = readFileSync(join(ROOT, 'docs/fleet.md'), 'utf8');

function fileOfPage(name: string): string {
  const file = new RegExp(`^cat > ${name} <<'END'\\n(.*?)^END$`, 'ms').exec(page)?.[1];
  if (file === undefined) throw new Error(`the page writes no file ${name}`);
  return file;
}

describe('nginx of the page', { tags: 'slow' }, () => {
  const start = async () => {
    const gates = [await startTarget(), await startTarget()] as const;
    const url = await startNginx(fileOfPage('fleet/nginx.conf'), {
      'gate-1:4010': `127.0.0.1:${gates[0].port}`,
      'gate-2:4010': `127.0.0.1:${gates[1].port}`,
    });
    for (const { received } of gates) received.length = 0;
    return { gates, url };
  };

  it('keeps a session with one gate, however it is named', async () => {
    const { gates, url } = await start();
    for (let i = 0; i < 20; i++) {
      const name = encodeURIComponent(`test ${i}`);
      const counts = gates.map(({ received }) => received.length);
      await fetch(`${url}/api/things`, { headers: { 'Patchgate-Session': `test ${i}` } });
      await fetch(`${url}/__patchgate/session/${name}/api/things`);
      await fetch(`${url}/__patchgate/sessions/${name}`, { method: 'DELETE' });
      const came = gates.map(({ received }, gate) => received.length - (counts[gate] as number));
      expect(came.sort()).toEqual([0, 3]);
    }
    for (const { received } of gates) expect(received.length).toBeGreaterThan(0);
  });

  it('sends all else to either', async () => {
    const { gates, url } = await start();
    await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/api/things`)));
    for (const { received } of gates) expect(received.length).toBeGreaterThan(5);
  });

  it('leaves a request as it was sent', async () => {
    const { gates, url } = await start();
    const path = '/api//v2/%61ccounts/./current/../196/projects/42?a=%2F&&b';
    const connection = await RawConnection.open(Number(new URL(url).port));
    connection.write(
      `PATCH ${path} HTTP/1.1\r\nHost: localhost:4010\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{ "a" : 1}`,
    );
    const received = () => gates.flatMap((gate) => gate.received);
    expect((await connection.response('PATCH')).status).toBe(200);
    const [{ method, url: asked, headers, body }] = received() as [ReturnType<typeof received>[0]];
    expect({ method, asked, host: headers.host, body: body.toString() }).toEqual({
      method: 'PATCH',
      asked: path,
      host: 'localhost:4010',
      body: '{ "a" : 1}',
    });
  });

  it('sends a PATCH to the gate that is left, and none twice', async () => {
    const { gates, url } = await start();
    await gates[0].close();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => fetch(`${url}/api/things/${n}`, { method: 'PATCH', body: '{}' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(gates[1].received.map((one) => one.url)).size).toBe(20);
    expect(gates[1].received).toHaveLength(20);
  });
});
