import { readTargetTls, type TargetTlsFiles } from '../http/tls.ts';
import { type Forward, forward } from './forward.ts';
import type { ForwardOptions } from './outgoing.ts';
import { readSetHeaders } from './set-headers.ts';
import type { Target } from './target.ts';
import { targetProxyOf } from './target-proxy.ts';

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
  const proxy = targetProxyOf({ url }, env);
  const target = { origin, path, url, proxy };
  const tls = await readTargetTls(target, settings);
  const setHeaders = readSetHeaders(settings.setHeader, env);
  const tunnels = proxy && (await import('./tunnel.ts')).createTunnels(target, proxy, tls, timeout);
  return forward({ target, tls, tunnels, answeredBy, timeout, setHeaders });
}
