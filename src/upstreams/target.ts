import { PatchgateError, systemCode } from '../errors.ts';
import { parseUrl } from '../http/url.ts';
import { certificateTrouble } from './certificate-trouble.ts';
import { failureKind, TargetFailure } from './target-failure.ts';

/** The one place that requests go to: fixed at start, never chosen by a client. */
export interface Target {
  /** `https://api.example.com:8443` */
  origin: string;
  /** The path in its URL, without a slash at its end: `/api/v2`, or `""`. */
  path: string;
  url: URL;
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

/** What keeps the target from answering, as an answer for the client. */
export function targetError(target: Target, error: unknown, timeout: number): PatchgateError {
  const code = systemCode(error) ?? '';
  const kind = failureKind(error);
  if (kind === 'timeout') {
    return new TargetFailure(
      kind,
      'target-timeout',
      `the target ${target.origin} did not answer within ${timeout} ms`,
      {
        hint: 'it may have received the request all the same; --timeout gives it longer',
        cause: error,
      },
    );
  }
  const trouble = certificateTrouble(code, error);
  const message = trouble
    ? `nothing was sent to the target ${target.origin}: its certificate ${trouble.reason}`
    : `the target ${target.origin} could not be reached: ${reasonOf(code, error)}`;
  const hint =
    trouble?.hint ??
    (kind === 'refused'
      ? 'check that it runs and that its address is right'
      : 'the connection broke off: it may have received the request all the same');
  const options = { hint, cause: error };
  return kind === undefined
    ? new PatchgateError('target-unreachable', message, options)
    : new TargetFailure(kind, 'target-unreachable', message, options);
}

/** The target's answer ended before it was whole. */
export function cutOff(target: Target, error: unknown): PatchgateError {
  const message = `the response of the target ${target.origin} was cut off`;
  return failureKind(error) === undefined
    ? new PatchgateError('target-unreachable', message, { cause: error })
    : new TargetFailure('truncated', 'target-unreachable', message, { cause: error });
}

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

function reasonOf(code: string, error: unknown): string {
  return (
    REASONS[code] ?? (error instanceof Error ? `${error.message}${code && ` (${code})`}` : String(error))
  );
}
