/**
 * The one table of what can keep the tool from doing its work: code -> HTTP status, exit code.
 * What a schema or rule says of a request is never here: that is a finding.
 */
const CODES = {
  'bad-usage': { status: 400, exit: 2 },
  'bad-config': { status: 500, exit: 2 },
  'bad-contract': { status: 500, exit: 2 },
  'bad-input': { status: 400, exit: 2 },
  'bad-recording': { status: 500, exit: 2 },
  'cannot-read': { status: 500, exit: 2 },
  'cannot-write': { status: 500, exit: 2 },
  'recording-in-use': { status: 500, exit: 2 },
  'cannot-listen': { status: 500, exit: 2 },
  'body-already-read': { status: 500, exit: 2 },
  'request-too-large': { status: 413, exit: 2 },
  overloaded: { status: 503, exit: 2 },
  'malformed-request': { status: 400, exit: 2 },
  'client-timeout': { status: 408, exit: 2 },
  'head-too-large': { status: 431, exit: 2 },
  'too-many-headers': { status: 431, exit: 2 },
  'not-allowed': { status: 403, exit: 2 },
  'not-found': { status: 404, exit: 2 },
  'no-recording': { status: 501, exit: 2 },
  'target-unreachable': { status: 502, exit: 2 },
  'target-timeout': { status: 504, exit: 2 },
  interrupted: { status: 503, exit: 2 },
  internal: { status: 500, exit: 2 },
} as const;

export type ErrorCode = keyof typeof CODES;

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

  /** HTTP status of the answer, where a request is to be answered with this error. */
  get status(): number {
    return CODES[this.code].status;
  }

  get exitCode(): number {
    return CODES[this.code].exit;
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
