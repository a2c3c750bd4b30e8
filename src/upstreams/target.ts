import { type ErrorCode, PatchgateError, systemCode } from '../errors.ts';
import { parseUrl } from '../http/url.ts';
import type { FailureKind } from '../model/exchange.ts';

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

/** The target failed to answer, or to answer whole. What the gate or the client spoils is never one. */
export class TargetFailure extends PatchgateError {
  readonly kind: FailureKind;

  constructor(
    kind: FailureKind,
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown } = {},
  ) {
    super(code, message, options);
    this.kind = kind;
  }
}

/** What keeps the target from answering, as an answer for the client. */
export function targetError(target: Target, cause: unknown, timeout: number): PatchgateError {
  if (cause instanceof PatchgateError) return cause;
  const { proxy } = target;
  const origin = proxy ? `${target.origin} (by the proxy ${proxy.origin})` : target.origin;
  const kind = failureKind(cause);
  if (kind === 'timeout' && proxy && unconnected.has(cause as object)) {
    const message = `the proxy ${proxy.origin} gave no connection to the target ${target.origin} within ${timeout} ms`;
    const hint = 'do the proxy and the target run? --timeout gives them longer';
    return new PatchgateError('target-timeout', message, { hint, cause });
  }
  if (kind === 'timeout') {
    const hint = 'it may have received the request all the same; --timeout gives it longer';
    const message = `the target ${origin} did not answer within ${timeout} ms`;
    return new TargetFailure(kind, 'target-timeout', message, { hint, cause });
  }
  const certificate = certificateTrouble(cause);
  if (certificate) {
    const message = `nothing was sent to the target ${origin}: its certificate ${certificate.reason}`;
    return unreachable(kind, message, { hint: certificate.hint, cause });
  }
  const alert = alertOf(cause);
  const brokenOff = origin.startsWith('https:') ? BROKEN_OFF + OR_UNCERTIFIED : BROKEN_OFF;
  const hint =
    alert !== undefined
      ? 'ask its operators which authority must have signed the certificate of a client'
      : kind === 'refused'
        ? 'check that it runs and that its address is right'
        : brokenOff;
  const message = `the target ${origin} could not be reached: ${alert ?? reasonOf(cause)}`;
  return unreachable(kind, message, { hint, cause });
}

const BROKEN_OFF = 'the connection broke off: it may have received the request all the same';
/** The alert that tells of this can be lost with the connection. */
const OR_UNCERTIFIED =
  '; a target that wants a certificate of the gate (--target-cert, --target-key), or another one, does that, too';

/** What keeps a proxy from being asked. It says nothing of the target. */
export function proxyError({ origin }: TargetProxy, cause: unknown): PatchgateError {
  const certificate = certificateTrouble(cause);
  if (certificate) {
    const message = `nothing was sent to the proxy ${origin}: its certificate ${certificate.reason}`;
    const hint = 'NODE_EXTRA_CA_CERTS names a PEM file of further authorities';
    return new PatchgateError('target-unreachable', message, { hint, cause });
  }
  const message = `the proxy ${origin} could not be reached: ${reasonOf(cause)}`;
  const hint = 'check that it runs and that its address is right; NO_PROXY names targets that go without it';
  return new PatchgateError('target-unreachable', message, { hint, cause });
}

/** The target's answer ended before it was whole. */
export function cutOff({ origin }: Target, cause: unknown): PatchgateError {
  const kind = failureKind(cause) && 'truncated';
  return unreachable(kind, `the response of the target ${origin} was cut off`, { cause });
}

/** @param kind undefined: it says nothing of the target */
function unreachable(
  kind: FailureKind | undefined,
  message: string,
  options: { hint?: string; cause: unknown },
): PatchgateError {
  return kind
    ? new TargetFailure(kind, 'target-unreachable', message, options)
    : new PatchgateError('target-unreachable', message, options);
}

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

/**
 * What an error of a connection to the target says of the target, which had not answered yet; undefined where it says
 * nothing of it: there are too many open files here, the request cannot be sent, or this program is closing.
 */
export function failureKind(error: unknown): Exclude<FailureKind, 'truncated'> | undefined {
  const code = systemCode(error) ?? '';
  if (OWN.test(code)) return undefined;
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  const isRefused = unconnected.has(error as object) || REFUSALS.has(code) || certificateTrouble(error);
  return isRefused ? 'refused' : 'reset';
}

const OWN =
  /^(?:EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL|ERR_INVALID_.*|ERR_UNESCAPED_CHARACTERS|ERR_HTTP_.*|UND_ERR_(?:INVALID_ARG|DESTROYED|CLOSED|ABORTED|REQ_.*))$/;

const REFUSALS: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EPROTO'],
]);

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

/** What a target says of the certificate that it was shown, or was not: in the code of the error, or in its message. */
const ALERTS: readonly (readonly [RegExp, string])[] = [
  [/alert.certificate.required/i, 'it wants a certificate of the gate: --target-cert and --target-key'],
  [
    /alert.handshake.failure/i,
    'it broke off the TLS handshake: it may want a certificate of the gate, --target-cert and --target-key',
  ],
  [/alert.unknown.ca/i, "it does not know the authority of the gate's certificate"],
  [
    /alert.(?:(?:bad|unsupported).certificate|certificate.(?:expired|revoked|unknown))/i,
    "it does not take the gate's certificate",
  ],
];

function alertOf(error: unknown): string | undefined {
  const text = `${systemCode(error)} ${error instanceof Error ? error.message : ''}`;
  return ALERTS.find(([pattern]) => pattern.test(text))?.[1];
}

function reasonOf(error: unknown): string {
  const code = systemCode(error) ?? '';
  return (
    REASONS[code] ?? (error instanceof Error ? `${error.message}${code && ` (${code})`}` : String(error))
  );
}

const UNTRUSTED = "if you trust it, give its certificate or its authority's with --target-ca FILE";
const CLOCK = "the target needs another; or is this machine's clock wrong?";
const UNKNOWN_AUTHORITY = 'is not trusted: its authority is not known here';

/** Why a target's certificate was refused, by Node's error code: those of OpenSSL, and the one of Node's own check of the name. */
const CERTIFICATE_TROUBLES: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['is not trusted: it is signed by itself', UNTRUSTED],
  SELF_SIGNED_CERT_IN_CHAIN: [UNKNOWN_AUTHORITY, UNTRUSTED],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [UNKNOWN_AUTHORITY, UNTRUSTED],
  UNABLE_TO_GET_ISSUER_CERT: [UNKNOWN_AUTHORITY, UNTRUSTED],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [UNKNOWN_AUTHORITY, UNTRUSTED],
  CERT_UNTRUSTED: ['is not trusted', UNTRUSTED],
  CERT_SIGNATURE_FAILURE: ['is not trusted: its signature is wrong', UNTRUSTED],
  INVALID_CA: ['is not trusted: what signed it is no authority', UNTRUSTED],
  CERT_HAS_EXPIRED: ['has expired', CLOCK],
  CERT_NOT_YET_VALID: ['is not valid yet', CLOCK],
  INVALID_PURPOSE: ['is not for servers', 'the target needs another'],
  CERT_REVOKED: ['is revoked', 'the target needs another'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['is for another name', "use the name that it is for in the target's URL"],
};

/** The handshake came to no end, and no request was sent. Undefined where the error has nothing to do with a certificate. */
function certificateTrouble(error: unknown): { reason: string; hint: string } | undefined {
  const code = systemCode(error) ?? '';
  if (!Object.hasOwn(CERTIFICATE_TROUBLES, code)) return undefined;
  const [reason, hint] = CERTIFICATE_TROUBLES[code] as readonly [string, string];
  const names = (error as { cert?: { subjectaltname?: string } }).cert?.subjectaltname;
  const isOther = code === 'ERR_TLS_CERT_ALTNAME_INVALID' && names;
  return { reason: isOther ? `${reason}: ${names.slice(0, 200)}` : reason, hint };
}
