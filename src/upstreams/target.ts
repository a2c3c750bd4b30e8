import { PatchgateError, systemCode } from '../errors.ts';
import { parseUrl } from '../http/url.ts';

/** The one place that requests go to: fixed at start, never chosen by a client. */
export interface Target {
  /** `https://api.example.com:8443` */
  origin: string;
  /** The path in its URL, without a slash at its end: `/api/v2`, or `""`. */
  path: string;
  url: URL;
  /** What connections to it go by, where that is not the direct way. */
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

/** @throws PatchgateError `bad-usage` where the text is no http or https URL */
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

const unconnected = new WeakSet<object>();

/** Notes that an error came before there was a connection, TLS included. */
export function asUnconnected<T extends object>(error: T): T {
  unconnected.add(error);
  return error;
}

/** The target is silent for too long. */
export function timedOut(): Error {
  return Object.assign(new Error('silent'), { code: 'ETIMEDOUT' });
}

/** What keeps the target from answering, as an answer for the client. */
export function targetError(target: Target, cause: unknown, timeout: number): PatchgateError {
  if (cause instanceof PatchgateError) return cause;
  const { proxy } = target;
  const origin = proxy ? `${target.origin} (by the proxy ${proxy.origin})` : target.origin;
  const code = systemCode(cause) ?? '';
  const isUnconnected = unconnected.has(cause as object);
  if (code.includes('TIMEOUT') || code === 'ETIMEDOUT') {
    const isOfProxy = proxy !== undefined && isUnconnected;
    const message = isOfProxy
      ? `the proxy ${proxy.origin} gave no connection to the target ${target.origin} within ${timeout} ms`
      : `the target ${origin} did not answer within ${timeout} ms`;
    const hint = isOfProxy
      ? 'do the proxy and the target run? --timeout gives them longer'
      : 'it may have received the request all the same; --timeout gives it longer';
    return new PatchgateError('target-timeout', message, { hint, cause });
  }
  const certificate = certificateTrouble(cause);
  if (certificate) {
    const message = `nothing was sent to the target ${origin}: its certificate ${certificate.reason}`;
    return new NeverReached('target-unreachable', message, { hint: certificate.hint, cause });
  }
  const alert = alertOf(cause);
  const isRefused = isUnconnected || REFUSALS.test(code);
  const uncertified = origin.startsWith('https:') ? OR_UNCERTIFIED : '';
  const reset = isRefused ? 'check that it runs and that its address is right' : BROKEN_OFF + uncertified;
  const hint = alert
    ? 'ask its operators which authority must have signed the certificate of a client'
    : reset;
  const message = `the target ${origin} could not be reached: ${alert ?? reasonOf(cause)}`;
  return new (isRefused ? NeverReached : PatchgateError)('target-unreachable', message, { hint, cause });
}

const BROKEN_OFF = 'the connection broke off: it may have received the request all the same';
/** The alert that tells of this can be lost with the connection. */
const OR_UNCERTIFIED =
  '; a target that wants a certificate of the gate (--target-cert, --target-key), or another one, does that, too';

/** What keeps a proxy from being asked. It says nothing of the target. */
export function proxyError({ origin }: TargetProxy, cause: unknown): PatchgateError {
  if (cause instanceof PatchgateError) return cause;
  const certificate = certificateTrouble(cause);
  const message = certificate
    ? `nothing was sent to the proxy ${origin}: its certificate ${certificate.reason}`
    : `the proxy ${origin} could not be reached: ${reasonOf(cause)}`;
  const hint = certificate
    ? 'NODE_EXTRA_CA_CERTS names a PEM file of further authorities'
    : 'check that it runs and that its address is right; NO_PROXY names targets that go without it';
  return new PatchgateError('target-unreachable', message, { hint, cause });
}

/** The target's answer ended before it was whole. */
export function cutOff({ origin }: Target, cause: unknown): PatchgateError {
  if (cause instanceof PatchgateError) return cause;
  return new PatchgateError('target-unreachable', `the response of the target ${origin} was cut off`, {
    cause,
  });
}

const REFUSALS = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO)$/;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refused the connection',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name could not be looked up',
  ECONNRESET: 'it closed the connection without an answer',
  UND_ERR_SOCKET: 'it closed the connection without an answer',
  EHOSTUNREACH: 'there is no route to it',
  EPROTO: 'it speaks no TLS, or none that fits',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks no TLS',
};

/** What a target says of the certificate that it was shown, or was not. */
function alertOf(error: unknown): string | undefined {
  const text = `${systemCode(error)} ${error instanceof Error ? error.message : ''}`;
  if (/alert.(?:certificate.required|handshake.failure)/i.test(text))
    return 'it may want a certificate of the gate: --target-cert and --target-key';
  const isOfCertificate = /alert.(?:unknown.ca|\w+.certificate|certificate.\w+)/i.test(text);
  return isOfCertificate ? "it does not take the gate's certificate" : undefined;
}

function reasonOf(error: unknown): string {
  const code = systemCode(error) ?? '';
  return (
    REASONS[code] ?? (error instanceof Error ? `${error.message}${code && ` (${code})`}` : String(error))
  );
}

/** Why a certificate was refused, by the code of OpenSSL, or of Node's own check of the name. */
const CERTIFICATE_TROUBLES: readonly (readonly [code: RegExp, reason: string, hint: string])[] = [
  [
    /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_UNTRUSTED|CERT_SIGNATURE|INVALID_CA)/,
    'is not trusted: its authority is not known here',
    "if you trust it, give its certificate or its authority's with --target-ca FILE",
  ],
  [
    /^(?:CERT_|INVALID_PURPOSE)/,
    'has expired, is not valid yet, or is not for servers',
    "the target needs another; or is this machine's clock wrong?",
  ],
  [/^ERR_TLS_CERT_ALTNAME/, 'is for another name', "use the name that it is for in the target's URL"],
];

/** The handshake came to no end, and no request was sent. Undefined where the error has nothing to do with a certificate. */
function certificateTrouble(error: unknown): { reason: string; hint: string } | undefined {
  const code = systemCode(error) ?? '';
  const [, reason, hint] = CERTIFICATE_TROUBLES.find(([pattern]) => pattern.test(code)) ?? [];
  if (reason === undefined || hint === undefined) return undefined;
  const names = (error as { cert?: { subjectaltname?: string } }).cert?.subjectaltname;
  const isOther = code === 'ERR_TLS_CERT_ALTNAME_INVALID' && names;
  return { reason: isOther ? `${reason}: ${names.slice(0, 200)}` : reason, hint };
}
