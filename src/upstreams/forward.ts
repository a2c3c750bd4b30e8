import { buildConnector } from 'undici';
import { readTargetTls, type TargetTlsFiles } from '../http/tls.ts';
import { createClient } from './client.ts';
import type { ForwardOptions } from './outgoing.ts';
import { readSetHeaders } from './set-headers.ts';
import { asUnconnected, type Target } from './target.ts';
import { createTunnel, proxyOf } from './tunnel.ts';
import { createUpgrade, type Upgrade } from './upgrade.ts';
import { stopped, type Upstream } from './upstream.ts';

export interface Forward extends Upstream {
  target: Target;
  upgrade: Upgrade;
}

export interface TargetSettings extends TargetTlsFiles, Pick<ForwardOptions, 'timeout'> {
  setHeader: readonly string[];
}

/** What sends requests to a target, by the settings for it. @throws PatchgateError where these are wrong */
export async function openForward(
  { origin, path, url }: Target,
  settings: TargetSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Forward> {
  const target = { origin, path, url, proxy: proxyOf(url) };
  const tls = await readTargetTls(target, settings);
  const setHeaders = readSetHeaders(settings.setHeader, env);
  return forward({ target, tls, timeout: settings.timeout, setHeaders });
}

/** The target as an upstream. */
export function forward(options: ForwardOptions): Forward {
  const { target, tls, timeout } = options;
  const build = buildConnector({ timeout, ...tls });
  const connect: typeof build = (asked, done) =>
    build(asked, (error, socket) => (error ? done(asUnconnected(error), null) : done(null, socket)));
  const tunnel = target.proxy && createTunnel(target, target.proxy, connect, timeout);
  const client = createClient(options, tunnel ? (_, done) => tunnel.open(done) : connect);
  const upgrades = createUpgrade(options, tunnel);
  let isClosed = false;
  return {
    target,
    handle(request, signal) {
      if (isClosed) throw stopped();
      return client.send(request, signal);
    },
    upgrade: upgrades.upgrade,
    async close() {
      isClosed = true;
      upgrades.close();
      await client.close();
      await tunnel?.close();
    },
  };
}
