import { request, STATUS_CODES } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { PatchgateError } from '../errors.ts';
import type { TargetTls } from '../http/tls.ts';
import { parseUrl } from '../http/url.ts';
import { addressOf, asUnconnected, proxyError, type Target, type TargetProxy, timedOut } from './target.ts';
import { stopped } from './upstream.ts';

/** Makes connections to a target by its proxy. */
export interface Tunnel {
  /** Calls back once, with a connection that is ready for requests, or with why there is none. */
  open(done: (...result: [error: null, socket: Socket] | [error: Error, socket: null]) => void): void;
  /** Ends what is being opened. */
  close(): void;
}

/** The proxy of the environment for a target over TLS. @throws PatchgateError `bad-usage` where it is no URL of a proxy */
export function proxyOf(
  url: URL,
  env: Readonly<Record<string, string | undefined>>,
): TargetProxy | undefined {
  // As curl has it: the one in small letters comes first, and HTTP_PROXY is not read: a CGI's client may have set it.
  const name = env.https_proxy ? 'https_proxy' : 'HTTPS_PROXY';
  const text = env[name];
  if (url.protocol !== 'https:' || !text || isExempt(url, env.no_proxy || env.NO_PROXY || ''))
    return undefined;
  const proxy = parseUrl(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  // The text itself may hold a password.
  if (!proxy || !/^https?:$/.test(proxy.protocol) || proxy.pathname !== '/' || proxy.search || proxy.hash)
    throw new PatchgateError('bad-usage', `${name} is no URL of an http or https proxy`, {
      hint: 'write it as http://proxy.example.com:3128, and in a password / as %2F, ? as %3F, # as %23, @ as %40, % as %25',
    });
  const { origin, username, password } = proxy;
  if (username === '' && password === '') return { origin, url: proxy };
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`);
  return { origin, url: proxy, authorization: `Basic ${credentials.toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a list such as NO_PROXY names the target, by a name and all below it or by an address, with a port or without. */
function isExempt(url: URL, list: string): boolean {
  const { host, port } = addressOf(url);
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, inBrackets, plain = '', ofPort] =
        /^(?:\[(.*)\]|([^:]*|.*:.*:.*))(?::(\d+))?$/.exec(entry) ?? [];
      if (ofPort !== undefined && Number(ofPort) !== port) return false;
      const suffix = (inBrackets ?? plain).replace(/^\*?\./, '');
      return suffix === '*' || (suffix !== '' && `.${host}`.endsWith(`.${suffix}`));
    });
}

/**
 * Has a proxy make connections to the target (CONNECT), and speaks TLS over them.
 *
 * @param timeout milliseconds; 0: for ever
 */
export function createTunnel(
  { url }: Pick<Target, 'url'>,
  proxy: TargetProxy,
  tls: TargetTls,
  timeout: number,
): Tunnel {
  const { host, port } = addressOf(url);
  const path = `${url.hostname}:${port}`;
  const at = addressOf(proxy.url);
  const options = {
    ...{ ...at, method: 'CONNECT', path, agent: false as const },
    headers: { Host: path, ...(proxy.authorization && { 'Proxy-Authorization': proxy.authorization }) },
    // Always verified, by its own name, whatever the environment says; the request's Host is the target's.
    ...{ rejectUnauthorized: true, servername: isIP(at.host) === 0 ? at.host : '' },
  };
  const asks = proxy.url.protocol === 'https:' ? secureRequest : request;
  const opening = new Set<(error: Error) => void>();
  const open: Tunnel['open'] = (done) => {
    const asked = asks(options);
    let through: { destroy(): unknown } = asked;
    const finish: typeof done = (...result) => {
      clearTimeout(timer);
      if (opening.delete(fail)) done(...result);
    };
    const fail = (error: Error) => {
      finish(error, null);
      through.destroy();
    };
    opening.add(fail);
    const timer = timeout > 0 ? setTimeout(() => fail(asUnconnected(timedOut())), timeout) : undefined;
    asked.once('error', (error) => fail(proxyError(proxy, error)));
    asked.once('connect', ({ statusCode = 0 }, socket, head) => {
      through = socket;
      socket.setNoDelay(true).setKeepAlive(true, 60_000);
      // What was sent unasked would be taken for the answer to the first request.
      if (statusCode < 200 || statusCode > 299 || head.length > 0) {
        fail(refusal(proxy, path, statusCode));
        return;
      }
      const secure = connectSecure({ ...tls, host, socket, ALPNProtocols: ['http/1.1'] });
      through = secure;
      secure.once('secureConnect', () => finish(null, secure));
      secure.once('error', (error) => fail(asUnconnected(error)));
    });
    asked.end();
  };
  return {
    open,
    close: () => {
      for (const fail of opening) fail(stopped());
    },
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
