import { PatchgateError, systemCode } from '../errors.ts';
import { parseUrl } from '../model/url.ts';
import { certificateTrouble } from './certificate-trouble.ts';

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
  if (/TIMEOUT|ETIMEDOUT/.test(code)) {
    return new PatchgateError(
      'target-timeout',
      `the target ${target.origin} did not answer within ${timeout} ms`,
      {
        hint: 'it may have received the request all the same; --timeout gives it longer',
        cause: error,
      },
    );
  }
  const trouble = certificateTrouble(code, error);
  if (trouble) {
    return new PatchgateError(
      'target-unreachable',
      `nothing was sent to the target ${target.origin}: its certificate ${trouble.reason}`,
      { hint: trouble.hint, cause: error },
    );
  }
  return new PatchgateError(
    'target-unreachable',
    `the target ${target.origin} could not be reached: ${reasonOf(code, error)}`,
    {
      hint: REFUSALS.has(code)
        ? 'check that it runs and that its address is right'
        : 'the connection broke off: it may have received the request all the same',
      cause: error,
    },
  );
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
const REFUSALS: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

function reasonOf(code: string, error: unknown): string {
  return (
    REASONS[code] ?? (error instanceof Error ? `${error.message}${code && ` (${code})`}` : String(error))
  );
}
