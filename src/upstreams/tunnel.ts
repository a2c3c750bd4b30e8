import { type ClientRequest, type IncomingMessage, request, STATUS_CODES } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { PatchgateError } from '../errors.ts';
import type { TargetTls } from '../http/tls.ts';
import { addressOf, asUnconnected, proxyError, type Target, type TargetProxy, timedOut } from './target.ts';
import { stopped } from './upstream.ts';

export type Tunnels = ReturnType<typeof createTunnels>;

/** Called once, with a connection to the target that is ready for requests, or with why there is none. */
type Done = (...result: [error: null, socket: Socket] | [error: Error, socket: null]) => void;

/** Makes connections to a target by its proxy. @param timeout milliseconds that each may take; 0: for ever */
export function createTunnels(
  target: Pick<Target, 'url'>,
  proxy: TargetProxy,
  tls: TargetTls,
  timeout: number,
) {
  const opening = new Set<() => void>();
  return {
    open(done: Done): void {
      const isSecure = target.url.protocol === 'https:';
      const cancel = openTunnel(target, proxy, isSecure ? tls : undefined, timeout, (...result) => {
        opening.delete(cancel);
        done(...result);
      });
      opening.add(cancel);
    },
    close() {
      for (const cancel of opening) cancel();
    },
  };
}

/**
 * Has a proxy make a connection to the target (CONNECT), and speaks TLS with the target over it.
 *
 * @param tls undefined: none is spoken
 * @returns ends it
 */
export function openTunnel(
  { url }: Pick<Target, 'url'>,
  proxy: TargetProxy,
  tls: TargetTls | undefined,
  timeout: number,
  done: Done,
): () => void {
  const { host, port } = addressOf(url);
  const to = `${url.hostname}:${port}`;
  const at = addressOf(proxy.url);
  let isOver = false;
  const over: Done = (...result) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    done(...result);
  };
  const fail = (error: Error) => {
    over(error, null);
    asked.destroy();
    through?.destroy();
  };
  let through: Socket | undefined;
  let asked = (proxy.url.protocol === 'https:' ? secureRequest : request)({
    ...at,
    // Always verified, by its own name, whatever the environment says; the request's Host is the target's.
    ...{ rejectUnauthorized: true, servername: isIP(at.host) === 0 ? at.host : '' },
    method: 'CONNECT',
    path: to,
    headers: { Host: to, ...(proxy.authorization && { 'Proxy-Authorization': proxy.authorization }) },
    agent: false,
  });
  const timer = timeout > 0 ? setTimeout(() => fail(asUnconnected(timedOut())), timeout) : undefined;
  const onAnswer = ({ statusCode = 0 }: IncomingMessage, socket: Socket, head: Buffer) => {
    through = socket.setNoDelay(true).setKeepAlive(true, 60_000);
    if (statusCode < 200 && statusCode !== 101) {
      // To Node each answer to CONNECT is the last one: a request that is never sent reads what follows.
      socket.unshift(head);
      asked = listenTo(request({ method: 'CONNECT', createConnection: () => socket }));
    } else if (statusCode < 200 || statusCode > 299) {
      // Its own words may repeat the password.
      const answer = `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim();
      const message = `the proxy ${proxy.origin} gave no connection to ${to}: it answered ${answer}`;
      fail(new PatchgateError('target-unreachable', message, { hint: hintFor(statusCode, proxy) }));
    } else if (head.length > 0) {
      // It would be taken for the answer to the first request.
      const message = `the proxy ${proxy.origin} gave no connection to ${to}: it sent data before it was asked`;
      fail(new PatchgateError('target-unreachable', message, { hint: 'is it a proxy that takes CONNECT?' }));
    } else if (tls) {
      through = connect({ ...tls, host, socket, ALPNProtocols: ['http/1.1'] });
      through.once('secureConnect', () => over(null, through as Socket));
      through.once('error', (error) => fail(asUnconnected(error)));
    } else over(null, socket);
  };
  const listenTo = (asked: ClientRequest) =>
    asked.on('error', (error) => fail(proxyError(proxy, error))).once('connect', onAnswer);
  listenTo(asked).end();
  return () => fail(stopped());
}

function hintFor(status: number, { authorization }: TargetProxy): string {
  // Some proxies answer a wrong password with 401.
  if (status === 407 || status === 401)
    return authorization
      ? 'it does not take the user and password of its URL; are they right, and coded as a URL needs it?'
      : 'it wants a user and a password: give them in the URL in HTTPS_PROXY';
  if (status >= 500) return 'does the target run, and can the proxy reach it by that name?';
  return 'does the proxy allow this host and port? NO_PROXY names targets that go without it';
}
