/**
 * What can keep the tool from doing its work: code -> HTTP status.
 * What a schema or rule says of a request is never here: that is a finding.
 */
const STATUSES = {
  'bad-usage': 400,
  'bad-config': 500,
  'bad-contract': 500,
  'bad-input': 400,
  'bad-recording': 500,
  'cannot-read': 500,
  'cannot-write': 500,
  'recording-in-use': 500,
  'cannot-listen': 500,
  'request-too-large': 413,
  'misdirected-request': 421,
  'malformed-request': 400,
  'client-timeout': 408,
  'head-too-large': 431,
  unauthorized: 401,
  'not-allowed': 403,
  'not-found': 404,
  'not-pending': 409,
  'no-recording': 501,
  'target-unreachable': 502,
  'target-timeout': 504,
  'store-unavailable': 503,
  interrupted: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof STATUSES;

/** The tool could not do its work. Nothing else is thrown on purpose. */
export class PatchgateError extends Error {
  override readonly name = 'PatchgateError';
  readonly code: ErrorCode;
  /** What to do about it, in one sentence. */
  readonly hint: string | undefined;
  /** Further members for the problem+json answer. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  /** @param message what went wrong, and where */
  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
  }

  /** HTTP status of the answer, if a request is to be answered with this error. */
  get status(): number {
    return STATUSES[this.code];
  }

  /** Of the process: it could not run, or not to its end. */
  get exitCode(): number {
    return this.code === 'interrupted' ? 1 : 2;
  }
}

/** The system's error code (`ENOENT`, `EADDRINUSE`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  return isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether it is an error: where Jest runs, those of Node come from another realm. */
function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]';
}

/** The message of whatever was thrown. Never throws itself. */
export function messageOf(error: unknown): string {
  try {
    return String(isError(error) ? error.message : error);
  } catch {
    return 'something was thrown that cannot be shown';
  }
}

/** Why a file or folder cannot be read, for people: what the system says, without its names of functions and files. */
export function whyUnreadable(error: unknown): string {
  return UNREADABLE[systemCode(error) ?? ''] ?? messageOf(error);
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead nowhere',
};
