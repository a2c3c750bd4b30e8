import { readTargetTls, type TargetTlsFiles } from '../http/tls.ts';
import { createClient } from './client.ts';
import { createConnector, proxyOf } from './connector.ts';
import { type ForwardOptions, readSetHeaders } from './outgoing.ts';
import type { Target } from './target.ts';
import { createUpgrade, type Upgrade } from './upgrade.ts';
import type { Upstream } from './upstream.ts';

/** The target as an upstream. */
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
  { timeout, setHeader, ...files }: TargetSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Forward> {
  const target = { origin, path, url, proxy: proxyOf(url) };
  const tls = await readTargetTls(target, files);
  const options = { target, timeout, setHeaders: readSetHeaders(setHeader, env) };
  const connector = createConnector(target, tls, timeout);
  const client = createClient(options, connector.open);
  return {
    target,
    handle: client.handle,
    upgrade: createUpgrade(options, connector.open),
    async close() {
      await client.close();
      await connector.close();
    },
  };
}
