import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { parseUrl } from '../http/url.ts';

/** The one place that requests go to: fixed at start, never chosen by a client. */
export interface Target {
  /** `https://api.example.com:8443` */
  origin: string;
  /** The path in its URL, without a slash at its end: `/api/v2`, or `""`. */
  path: string;
  url: URL;
  /** The proxy on the way to it; absent on the direct way. */
  proxy?: TargetProxy | undefined;
}

/** A forward proxy, which is asked by CONNECT. */
export interface TargetProxy {
  /** For people: without credentials. */
  origin: string;
  url: URL;
  /** Its credentials, as the header `Proxy-Authorization` has them. */
  authorization?: string;
}

/** Where a connection to a URL of http or https leads. */
export function addressOf({ hostname, port, protocol }: URL): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/** @throws PatchgateError `bad-usage` if the text is no http or https URL */
export function parseTarget(text: string): Target {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new PatchgateError('bad-usage', `the target ${JSON.stringify(text)} is no http or https URL`, {
      hint: 'give it whole: https://staging.example.com/api/v2',
    });
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new PatchgateError('bad-usage', 'the target URL has credentials, a query or a fragment', {
      hint: "give scheme, host, port and path only; credentials are the client's to send",
    });
  }
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, ''), url };
}

/** The target has never had the request: there was no connection to it. */
export class NeverReached extends PatchgateError {}

/** By the code of OpenSSL, or of Node's own check of the name. */
const OF_CERTIFICATE = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_|ERR_TLS_CERT_)/;

/** Why there is no connection to the target, TLS included. @param proxy which could not be asked for one */
export function noConnection(target: Target, cause: unknown, timeout: number, proxy?: TargetProxy) {
  if (isLate(cause)) return timedOut(target, timeout, false);
  const name = proxy ? `the proxy ${proxy.origin}` : nameOf(target);
  const code = systemCode(cause) ?? '';
  if (!OF_CERTIFICATE.test(code)) {
    const more = proxy ? '; NO_PROXY names targets that go without it' : '';
    const hint = `check that it runs and that its address is right${more}`;
    return new NeverReached('target-unreachable', `${name} could not be reached: ${reasonOf(cause)}`, {
      hint,
      cause,
    });
  }
  const names = (cause as { cert?: { subjectaltname?: string } }).cert?.subjectaltname;
  const isOther = code === 'ERR_TLS_CERT_ALTNAME_INVALID' && names;
  const why = isOther ? `for another name: ${names.slice(0, 200)}` : `not trusted: ${messageOf(cause)}`;
  const message = `nothing was sent to ${name}: its certificate is ${why}`;
  const hint = proxy
    ? 'NODE_EXTRA_CA_CERTS names a PEM file of further authorities'
    : "--target-ca FILE trusts it, or its authority; it must be valid today, and for the name in the target's URL";
  return new NeverReached('target-unreachable', message, { hint, cause });
}

/** Why the target gives no answer on a connection, or none that is whole. @param hasBegun its head was there */
export function noAnswer(target: Target, cause: unknown, timeout: number, hasBegun = false): PatchgateError {
  if (cause instanceof PatchgateError) return cause;
  const cutOff = `the response of the target ${target.origin} was cut off`;
  if (hasBegun) return new PatchgateError('target-unreachable', cutOff, { cause });
  if (isLate(cause)) return timedOut(target, timeout, true);
  // The alert that tells of it can be lost with the connection.
  const more = target.url.protocol === 'https:' ? `; or ${WANTS_ANOTHER}` : '';
  const hint = `the connection broke off: it may have received the request all the same${more}`;
  const message = `${nameOf(target)} gave no answer: ${reasonOf(cause)}`;
  return new PatchgateError('target-unreachable', message, { hint, cause });
}

/** @param isConnected it is the target that is silent, and not what leads to it */
export function timedOut(target: Target, timeout: number, isConnected: boolean): PatchgateError {
  const { origin, proxy } = target;
  const ofProxy = isConnected ? undefined : proxy;
  const what = ofProxy
    ? `the proxy ${ofProxy.origin} gave no connection to the target ${origin}`
    : `${nameOf(target)} did not answer`;
  const hint = ofProxy
    ? 'do the proxy and the target run? --timeout gives them longer'
    : 'it may have received the request all the same; --timeout gives it longer';
  return new PatchgateError('target-timeout', `${what} within ${timeout} ms`, { hint });
}

const nameOf = ({ origin, proxy }: Target) =>
  `the target ${origin}${proxy ? ` (by the proxy ${proxy.origin})` : ''}`;

const isLate = (error: unknown) => /TIMED?OUT/.test(systemCode(error) ?? '');

const WANTS_ANOTHER = 'it may want a certificate of the gate, or another one: --target-cert and --target-key';
/** What a target says of the certificate that it was shown, or was not. */
const ALERT = /alert.(?:handshake.failure|unknown.ca|\w+.certificate|certificate.\w+)/i;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refused the connection',
  ENOTFOUND: 'its host name is not known',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection, or what it sent is no HTTP',
  UND_ERR_HEADERS_OVERFLOW: 'the head of its answer is too long',
  EPROTO: 'it speaks no TLS, or none that fits',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks no TLS',
};

function reasonOf(cause: unknown): string {
  const code = systemCode(cause) ?? '';
  const isAlert = ALERT.test(`${code} ${messageOf(cause)}`);
  return isAlert ? WANTS_ANOTHER : (REASONS[code] ?? (messageOf(cause) || code));
}
