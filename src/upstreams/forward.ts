import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { header } from '../model/http.ts';
import { type ForwardOptions, outgoingHeaders, outgoingPath } from './outgoing.ts';
import { Relay } from './relay.ts';
import { stopped } from './stopped.ts';
import { createStreamingProxy, type UpgradeOutcome } from './streaming-proxy.ts';
import type { ResponseSink, Upstream, UpstreamRequest } from './upstream.ts';

export interface Forward extends Upstream {
  /** Whether nobody makes sure that it is the target which answers. */
  isInsecure: boolean;
  upgrade(
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    done: (outcome: UpgradeOutcome) => void,
  ): void;
}

/** Connections to the target at a time, of each agent: past them requests wait, before the process runs out of files. */
const CONNECTIONS_AT_MOST = 1024;

/** Milliseconds that a connection may be idle, unless the target's `Keep-Alive` says less: it might close just when a PATCH is
 *  written to it. */
const IDLE_AT_MOST = 4000;

/** The target as an upstream: bytes that are in hand are sent as they are, everything else streams through http-proxy. */
export function forward(options: ForwardOptions): Forward {
  const { target, tls } = options;
  const agentOf = (keepAlive: boolean): Agent => {
    const connections = { keepAlive, maxSockets: CONNECTIONS_AT_MOST, timeout: IDLE_AT_MOST, ...tls };
    const agent = target.url.protocol === 'https:' ? new SecureAgent(connections) : new Agent(connections);
    // All its connections lead to one place.
    agent.getName = () => target.origin;
    return agent;
  };
  const pool = agentOf(true);
  /** Each request gets a connection of its own. */
  const fresh = agentOf(false);
  const where = {
    protocol: target.url.protocol,
    host: target.url.hostname.replace(/^\[|\]$/g, ''),
    port: target.url.port || (target.url.protocol === 'https:' ? 443 : 80),
  };
  const proxy = createStreamingProxy(options, where, pool, fresh);
  let isClosed = false;

  /** Once: nobody knows whether a target that closes the connection has acted on it. */
  const send = (request: UpstreamRequest, body: Buffer, sink: ResponseSink): (() => void) => {
    const relay = new Relay(sink, options, request);
    const { method } = request;
    const headers = outgoingHeaders(request, options);
    if ((body.length > 0 || EXPECT_BODY.has(method)) && header(headers, 'content-length') === undefined)
      headers.push('Content-Length', String(body.length));
    const path = outgoingPath(target.path, request.url);
    try {
      const outgoing = sendRequest({ ...where, method, path, headers, agent: pool });
      relay.sends(outgoing);
      outgoing.on('response', (response) => relay.answer(response));
      outgoing.on('error', (error) => relay.fail(error));
      outgoing.end(body);
    } catch (error) {
      relay.fail(error);
    }
    return relay.cancel;
  };

  return {
    isInsecure: !tls.rejectUnauthorized,
    handle(request, sink) {
      if (!isClosed)
        return request.body === undefined ? proxy.send(request, sink) : send(request, request.body, sink);
      sink.fail(stopped());
      return () => undefined;
    },
    upgrade: proxy.upgrade,
    async close() {
      isClosed = true;
      for (const agent of [pool, fresh]) {
        for (const socket of Object.values(agent.sockets).flat()) socket?.destroy(stopped());
        agent.destroy();
      }
    },
  };
}

/** Methods whose requests say that they have no body (RFC 9110 8.6). */
const EXPECT_BODY: ReadonlySet<string> = new Set(['PATCH', 'POST', 'PUT']);
