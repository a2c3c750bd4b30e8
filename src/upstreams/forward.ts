import { Pool } from 'undici';
import { readTargetTls, type TargetTlsFiles } from '../http/tls.ts';
import { createConnector, proxyOf } from './connector.ts';
import { readSetHeaders } from './outgoing.ts';
import { Receiver, UnderWay } from './receiver.ts';
import type { Target } from './target.ts';
import { createUpgrade, type Upgrade } from './upgrade.ts';
import { stopped, type Upstream } from './upstream.ts';

export interface Forward extends Upstream {
  target: Target;
  upgrade: Upgrade;
}

/** Connections to the target at a time: past them requests wait, before the process runs out of files. */
const CONNECTIONS_AT_MOST = 1024;
/** Bytes of an answer's head. */
const LONGEST_HEAD = 256 * 1024;

/**
 * The target as an upstream, by undici: for the same it takes about two thirds of the CPU of node:http.
 *
 * @param settings `timeout`: milliseconds that the target may be silent before it answers; 0: for ever
 * @throws PatchgateError if the settings are wrong
 */
export async function openForward(
  { origin, path, url }: Target,
  { timeout, setHeader, ...files }: TargetTlsFiles & { timeout: number; setHeader: readonly string[] },
  env: Readonly<Record<string, string | undefined>>,
): Promise<Forward> {
  const target = { origin, path, url, proxy: proxyOf(url) };
  const tls = await readTargetTls(target, files);
  const options = { target, timeout, setHeaders: readSetHeaders(setHeader, env) };
  const { open: connect, close } = createConnector(target, tls, timeout);
  // Its own timers are half a second late. Once it answers, a target may be silent for hours: a stream of events.
  const bounds = { connections: CONNECTIONS_AT_MOST, maxHeaderSize: LONGEST_HEAD };
  const pooled = { connect, ...bounds, headersTimeout: 0, bodyTimeout: 0 };
  const kept = new Pool(origin, { ...pooled, pipelining: 1 });
  /** Each request gets a new connection. */
  const fresh = new Pool(origin, { ...pooled, pipelining: 0 });
  const bySignal = new WeakMap<AbortSignal, UnderWay>();
  const underWay = (signal: AbortSignal): UnderWay => {
    const known = bySignal.get(signal);
    if (known) return known;
    const begun = new UnderWay(signal);
    bySignal.set(signal, begun);
    return begun;
  };
  return {
    target,
    handle(request, signal) {
      if (kept.destroyed) throw stopped();
      return new Promise((resolve) => {
        new Receiver(request, options, signal && underWay(signal), fresh, resolve).send(kept);
      });
    },
    upgrade: createUpgrade(options, connect),
    async close() {
      await Promise.all([kept.destroy(stopped()), fresh.destroy(stopped())]);
      await close();
    },
  };
}
