import { STATUS_CODES } from 'node:http';
import { isIP, type Socket } from 'node:net';
import querystring from 'node:querystring';
import { getProxyForUrl } from 'proxy-from-env';
import { buildConnector, Pool } from 'undici';
import { PatchgateError } from '../errors.ts';
import type { TargetTls } from '../http/tls.ts';
import { parseUrl } from '../http/url.ts';
import { addressOf, NeverReached, noConnection, type Target, type TargetProxy } from './target.ts';
import { stopped } from './upstream.ts';

/** Makes connections to the target: TLS, and what a proxy must be asked first, included. */
export interface Connector {
  /** Calls back with a connection that is ready for requests, or with a PatchgateError. */
  open(asked: unknown, done: buildConnector.Callback): void;
  /** Ends what a proxy is being asked for. */
  close(): Promise<void>;
}

/** A connection breaks at this moment. */
let isBreaking = false;

/** Whether an answer ends because its connection breaks: undici takes that for the end of one whose length nobody said. */
export function endsByBreak(): boolean {
  return isBreaking;
}

function onBreak(): void {
  isBreaking = true;
  queueMicrotask(() => {
    isBreaking = false;
  });
}

/** @param timeout milliseconds; 0: for ever */
export function createConnector(target: Target, tls: TargetTls, timeout: number): Connector {
  const { url, proxy } = target;
  const { host: hostname, port } = addressOf(url);
  const build = buildConnector({ timeout, ...tls });
  const connect = (over: { httpSocket: Socket } | undefined, done: buildConnector.Callback) =>
    build(
      { hostname, host: url.host, protocol: url.protocol, port: String(port), ...over },
      (error, socket) =>
        error ? done(noConnection(target, error, timeout), null) : done(null, socket.on('error', onBreak)),
    );
  if (!proxy) return { open: (_, done) => connect(undefined, done), close: async () => undefined };

  const path = `${url.hostname}:${port}`;
  const at = addressOf(proxy.url).host;
  // Always verified, by its own name, whatever the environment says.
  const secure = { rejectUnauthorized: true, servername: isIP(at) === 0 ? at : '', timeout };
  const asked = new Pool(proxy.origin, { connect: secure, headersTimeout: timeout });
  const { authorization } = proxy;
  const headers = { host: path, ...(authorization && { 'proxy-authorization': authorization }) };
  return {
    async open(_, done) {
      try {
        const { statusCode, socket } = await asked.connect({ path, headers });
        if (statusCode < 200 || statusCode > 299) {
          socket.on('error', () => undefined).destroy();
          throw refusal(proxy, path, statusCode);
        }
        connect({ httpSocket: socket as Socket }, done);
      } catch (error) {
        done(error instanceof PatchgateError ? error : noConnection(target, error, timeout, proxy), null);
      }
    },
    close: () => asked.destroy(stopped()),
  };
}

/** The proxy that `HTTPS_PROXY` and `NO_PROXY` give a target over TLS. @throws PatchgateError `bad-usage` if it is no URL of one */
export function proxyOf(url: URL): TargetProxy | undefined {
  const text = url.protocol === 'https:' ? getProxyForUrl(url.href) : '';
  if (text === '') return undefined;
  // Without a scheme it is http, as with curl; the library writes the target's before it.
  const isWhole = Object.values(process.env).includes(text);
  const proxy = parseUrl(isWhole ? text : text.replace('https:', 'http:'));
  // The text itself may hold a password.
  if (!proxy || !/^https?:$/.test(proxy.protocol) || proxy.pathname !== '/' || proxy.search || proxy.hash)
    throw new PatchgateError('bad-usage', 'HTTPS_PROXY is no URL of an http or https proxy', {
      hint: 'write it as http://proxy.example.com:3128, and in a password / as %2F, ? as %3F, # as %23, @ as %40, % as %25',
    });
  const { origin, username, password } = proxy;
  const credentials = querystring.unescape(`${username}:${password}`);
  if (credentials === ':') return { origin, url: proxy };
  return { origin, url: proxy, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function refusal({ origin }: TargetProxy, to: string, status: number): PatchgateError {
  // Its own words may repeat the password.
  const answer = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const message = `the proxy ${origin} gave no connection to ${to}: it answered ${answer}`;
  // Some proxies answer a wrong password with 401.
  const isPassword = status === 407 || status === 401;
  const hint = isPassword
    ? 'give its user and password in the URL in HTTPS_PROXY, coded as a URL needs it'
    : 'does the target run, and does the proxy allow it? NO_PROXY names targets that go without it';
  return new NeverReached('target-unreachable', message, { hint });
}
