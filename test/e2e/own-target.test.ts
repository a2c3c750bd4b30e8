import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { runBinary } from '../support/binary.ts';
import { startGate } from '../support/in-process.ts';
import { freePort } from '../support/target.ts';

const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
const hasIpv6 = addresses.some(({ address }) => address === '::1');
const outward = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe('a proxy whose target is itself does not start', () => {
  const refused = async (host: string, target: string, command: readonly string[] = ['proxy']) => {
    const port = String(await freePort());
    const [name = '', ...rest] = command;
    const args = [name, ...rest, target.replace('PORT', port), '--host', host, '--port', port];
    const env = { PATCHGATE_CONTROL_TOKEN: '0123456789abcdef0123456789abcdef' };
    return { port, ...(await runBinary(args, { env })) };
  };

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:PORT'],
    ['127.0.0.1', 'http://127.1:PORT/api/v2'],
    ['127.0.0.1', 'http://localhost:PORT'],
    ['127.0.0.1', 'https://LOCALHOST:PORT/'],
    ['127.0.0.1', 'http://0.0.0.0:PORT'],
    ['127.0.0.1', 'http://[::ffff:127.0.0.1]:PORT'],
    ['127.0.0.2', 'http://127.0.0.2:PORT'],
    ['localhost', 'http://localhost:PORT'],
    ['0.0.0.0', 'http://0.0.0.0:PORT'],
    ['0.0.0.0', 'http://127.0.0.1:PORT'],
    ['0.0.0.0', 'http://127.9.8.7:PORT'],
    ...(outward ? [['0.0.0.0', `http://${outward}:PORT`]] : []),
    ...(hasIpv6
      ? [
          ['::1', 'http://[::1]:PORT'],
          ['::1', 'http://[::]:PORT'],
          ['::', 'http://[::1]:PORT'],
          ['::', 'http://127.0.0.1:PORT'],
          ['::', 'http://localhost:PORT'],
        ]
      : []),
  ])('%s: %s', async (host, target) => {
    const { port, code, stderr, stdout } = await refused(host as string, target as string);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('is this server itself: it leads to');
    expect(stderr).toContain(`port ${port} of this machine, where it listens`);
    expect(stderr).not.toContain('listens on');
  });
});

describe('a proxy starts', () => {
  it('where nobody knows the name of the target', async () => {
    const port = await freePort();
    const { url } = await startGate({ target: `http://no-such-host.invalid:${port}`, port });
    expect((await fetch(`${url}/x`)).status).toBe(502);
  });
});
