import { type ErrorCode, PatchgateError, systemCode } from '../errors.ts';
import type { FailureKind } from '../model/exchange.ts';
import { certificateTrouble } from './certificate-trouble.ts';

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

/**
 * What an error of a connection to the target says of the target, which had not answered yet; undefined where it says
 * nothing of it: there are too many open files here, the request cannot be sent, or this program is closing.
 */
export function failureKind(error: unknown): Exclude<FailureKind, 'truncated'> | undefined {
  const code = systemCode(error) ?? '';
  if (OWN.test(code)) return undefined;
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  const isRefused =
    unconnected.has(error as object) || REFUSALS.has(code) || certificateTrouble(code, error) !== undefined;
  return isRefused ? 'refused' : 'reset';
}

const unconnected = new WeakSet<object>();

/** Notes that an error came before there was a connection, TLS included. */
export function asUnconnected<T extends object>(error: T): T {
  unconnected.add(error);
  return error;
}

const OWN =
  /^(?:EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL|ERR_INVALID_.*|ERR_UNESCAPED_CHARACTERS|ERR_HTTP_.*|UND_ERR_(?:INVALID_ARG|DESTROYED|CLOSED|ABORTED|REQ_.*))$/;

const REFUSALS: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPROTO',
]);
