import { STATUS_CODES } from 'node:http';
import { isIP, type Socket } from 'node:net';
import querystring from 'node:querystring';
import { getProxyForUrl } from 'proxy-from-env';
import { type buildConnector, Pool } from 'undici';
import { PatchgateError, systemCode } from '../errors.ts';
import { parseUrl } from '../http/url.ts';
import { addressOf, asUnconnected, proxyError, type Target, type TargetProxy } from './target.ts';
import { stopped } from './upstream.ts';

/** Makes connections to a target by its proxy. */
export interface Tunnel {
  /** Calls back with a connection that is ready for requests, or with why there is none. */
  open(done: buildConnector.Callback): void;
  /** Ends what is being opened. */
  close(): Promise<void>;
}

/** The proxy that `HTTPS_PROXY` and `NO_PROXY` give a target over TLS. @throws PatchgateError `bad-usage` where it is no URL of one */
export function proxyOf(url: URL): TargetProxy | undefined {
  const text = url.protocol === 'https:' ? getProxyForUrl(url.href) : '';
  if (text === '') return undefined;
  const proxy = parseUrl(text);
  // The text itself may hold a password.
  if (!proxy || !/^https?:$/.test(proxy.protocol) || proxy.pathname !== '/' || proxy.search || proxy.hash)
    throw new PatchgateError('bad-usage', 'HTTPS_PROXY is no URL of an http or https proxy', {
      hint: 'write it as http://proxy.example.com:3128, and in a password / as %2F, ? as %3F, # as %23, @ as %40, % as %25',
    });
  const { origin, username, password } = proxy;
  if (username === '' && password === '') return { origin, url: proxy };
  const credentials = Buffer.from(`${querystring.unescape(username)}:${querystring.unescape(password)}`);
  return { origin, url: proxy, authorization: `Basic ${credentials.toString('base64')}` };
}

/**
 * Has a proxy make connections to the target (CONNECT), and speaks TLS over them.
 *
 * @param secure speaks TLS with the target over a socket
 * @param timeout milliseconds; 0: for ever
 */
export function createTunnel(
  { url }: Pick<Target, 'url'>,
  proxy: TargetProxy,
  secure: buildConnector.connector,
  timeout: number,
): Tunnel {
  const { protocol, hostname, host } = url;
  const port = String(addressOf(url).port);
  const to = `${hostname}:${port}`;
  const at = addressOf(proxy.url).host;
  // Always verified, by its own name, whatever the environment says.
  const connect = { rejectUnauthorized: true, servername: isIP(at) === 0 ? at : '', timeout };
  const asked = new Pool(proxy.origin, { connect, headersTimeout: timeout });
  const { authorization } = proxy;
  const headers = { host: to, ...(authorization && { 'proxy-authorization': authorization }) };
  return {
    async open(done) {
      try {
        const { statusCode, socket } = await asked.connect({ path: to, headers });
        if (statusCode < 200 || statusCode > 299) {
          socket.on('error', () => undefined).destroy();
          throw refusal(proxy, to, statusCode);
        }
        secure({ hostname, host, protocol, port, httpSocket: socket as Socket }, done);
      } catch (error) {
        const isLate = systemCode(error)?.includes('TIMEOUT');
        done(isLate ? asUnconnected(error as Error) : proxyError(proxy, error), null);
      }
    },
    close: () => asked.destroy(stopped()),
  };
}

function refusal(proxy: TargetProxy, to: string, status: number): PatchgateError {
  // Its own words may repeat the password.
  const answer = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const message = `the proxy ${proxy.origin} gave no connection to ${to}: it answered ${answer}`;
  return new PatchgateError('target-unreachable', message, { hint: hintFor(status) });
}

function hintFor(status: number): string {
  // Some proxies answer a wrong password with 401.
  if (status === 407 || status === 401)
    return 'give its user and password in the URL in HTTPS_PROXY, coded as a URL needs it';
  return 'does the target run, and does the proxy allow it? NO_PROXY names targets that go without it';
}
