import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { readTargetTls, type TargetTlsFiles } from '../http/tls.ts';
import { createClient } from './client.ts';
import type { ForwardOptions } from './outgoing.ts';
import { readSetHeaders } from './set-headers.ts';
import { Streams, type UpgradeOutcome } from './streams.ts';
import type { Target } from './target.ts';
import { createTunnel, proxyOf } from './tunnel.ts';
import { stopped, type Upstream } from './upstream.ts';

export interface Forward extends Upstream {
  target: Target;
  upgrade(
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    done: (outcome: UpgradeOutcome) => void,
  ): void;
}

export interface TargetSettings
  extends TargetTlsFiles,
    Pick<ForwardOptions, 'timeout'>,
    Partial<Pick<ForwardOptions, 'answeredBy'>> {
  setHeader: readonly string[];
}

/** What sends requests to a target, by the settings for it. @throws PatchgateError where these are wrong */
export async function openForward(
  { origin, path, url }: Target,
  settings: TargetSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Forward> {
  const { timeout, answeredBy = 'target' } = settings;
  const target = { origin, path, url, proxy: proxyOf(url, env) };
  const tls = await readTargetTls(target, settings);
  const setHeaders = readSetHeaders(settings.setHeader, env);
  return forward({ target, tls, answeredBy, timeout, setHeaders });
}

/** The target as an upstream: bytes that are in hand through the client, everything else through http-proxy. */
export function forward(given: ForwardOptions): Forward {
  const { target, tls, timeout } = given;
  const tunnel = target.proxy && createTunnel(target, target.proxy, tls, timeout);
  const options = { ...given, tunnel };
  const client = createClient(options);
  const streams = new Streams(options);
  let isClosed = false;
  return {
    target,
    handle(request, signal) {
      if (isClosed) throw stopped();
      return request.body ? client.send(request, request.body, signal) : streams.send(request, signal);
    },
    upgrade: (...handshake) => streams.upgrade(...handshake),
    async close() {
      isClosed = true;
      tunnel?.close();
      streams.close();
      await client.close();
    },
  };
}
