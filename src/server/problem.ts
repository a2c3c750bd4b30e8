import type { ServerResponse } from 'node:http';
import { type ErrorCode, messageOf, PatchgateError } from '../errors.ts';
import type { Remediation } from '../guard/guard.ts';
import type { Finding, Verdict } from '../model/finding.ts';
import type { Answer } from '../upstreams/upstream.ts';
import type { AccessRefusal } from './access.ts';

/** An answer that the gate gives itself: `application/problem+json` (RFC 9457). */
export interface GateAnswer extends Answer {
  body: Buffer;
  /** The body without what is for the client alone; absent where there is nothing of the kind. */
  shown?: Buffer;
  /** What it tells of, in one sentence; absent where the request was judged. */
  failure?: string;
}

/** What a problem of each type is called; RFC 9457 wants the title to be the same each time. */
const TITLES: { [type in ErrorCode | NonNullable<Verdict['problem']>]?: string } = {
  'invalid-request': 'The gate blocked this request',
  'destructive-change': 'The gate blocked this request, because of what it could delete',
  'not-allowed': 'Patchgate does not allow this request',
  'not-found': 'Patchgate has nothing here',
  'not-pending': 'The approval is decided, or no longer of use',
  'no-recording': 'The recording has no answer to this request',
  'target-unreachable': 'The target cannot be reached',
  'target-timeout': 'The target did not answer in time',
  'malformed-request': 'The request is malformed',
  'store-unavailable': 'The database that the gates share is away',
  'client-timeout': 'The client did not send its request in time',
  'head-too-large': 'The head of the request is too large',
  'request-too-large': 'The request is too large',
  overloaded: 'Patchgate has too much to do',
  'bad-input': 'Patchgate cannot use this input',
};
const OTHER_TITLE = 'Patchgate could not answer this request';

/** Bytes of findings that an answer carries at most, and of a corrected body: one pointer alone can be as long as a request's body. */
const FINDINGS_LIMIT = 1_048_576;
const NAMED_IN_DETAIL = 5;
const DETAIL_ITEM_LENGTH = 200;

/** The answer to a request that the gate blocked. @param remediation how to go on, where it lost something */
export function problemOfVerdict(verdict: Verdict, remediation?: Remediation): GateAnswer {
  const findings = within(verdict.findings, FINDINGS_LIMIT);
  const omitted = verdict.omitted + verdict.findings.length - findings.length;
  const type = verdict.problem ?? 'invalid-request';
  const isSent = JSON.stringify(remediation?.corrected ?? null).length <= FINDINGS_LIMIT;
  const corrected = isSent ? remediation?.corrected : undefined;
  const answerWith = (approve: string | undefined) =>
    problem(type, verdict.status ?? 422, {
      detail: detailOf(verdict),
      hint: remediation && hintOf(remediation, type),
      operation: verdict.operation,
      approve,
      approval: remediation?.approval,
      corrected,
      findings,
      omitted: omitted > 0 ? omitted : undefined,
      effects: verdict.effects,
      effectsOmitted: verdict.effectsOmitted,
    });
  const answer = answerWith(remediation?.approve);
  const headers = [...answer.headers, 'Patchgate-Blocked', type];
  return { ...answer, headers, ...(remediation?.approve && { shown: answerWith('[redacted]').body }) };
}

function hintOf(
  { corrected, approve, approval, needsApprover }: Remediation,
  type: NonNullable<Verdict['problem']>,
): string {
  if (type !== 'destructive-change') return 'send `corrected`: it has all that the project has now';
  const again = 'send the same request again with `Patchgate-Approve: <token>`';
  const ways = [
    corrected && 'send `corrected` to keep them',
    approve && (needsApprover ? `have an approver approve ${approval}, then ${again}` : again),
  ];
  return ways.filter(Boolean).join(', or ') || 'no approval lets it pass';
}

/** The answer to a request that something kept from being answered. Carries no stack and no cause. */
export function problemOfError(error: PatchgateError): GateAnswer {
  const answer = problem(error.code, error.status, {
    ...error.details,
    detail: error.message,
    hint: error.hint,
  });
  return error.code === 'store-unavailable'
    ? { ...answer, headers: [...answer.headers, 'Retry-After', '5'] }
    : answer;
}

/** The answer to a request of someone who may not ask. */
export function problemOfRefusal({ code, status, message, hint }: AccessRefusal): GateAnswer {
  const answer = { ...problem(code, status, { detail: message, hint }), failure: message };
  return status === 401 ? { ...answer, headers: [...answer.headers, 'WWW-Authenticate', 'Bearer'] } : answer;
}

/** A problem of any type. `type`, `title` and `status` cannot be overridden by a member. */
export function problem(
  type: keyof typeof TITLES,
  status: number,
  members: Readonly<Record<string, unknown>>,
): GateAnswer {
  const fixed = { type: `urn:patchgate:problem:${type}`, title: TITLES[type] ?? OTHER_TITLE, status };
  // People read what a PATCH would delete where curl has printed it.
  const indent = type === 'destructive-change' ? 2 : undefined;
  const body = Buffer.from(`${JSON.stringify({ ...fixed, ...members, ...fixed }, null, indent)}\n`);
  const headers = [
    ...['Content-Type', 'application/problem+json', 'Content-Length', String(body.length)],
    // A 404 or 501 may be kept by any cache that is not told otherwise (RFC 9110 15.1).
    ...['Cache-Control', 'no-store'],
  ];
  return { status, message: '', headers, body, from: 'gate' };
}

/** `2 errors: /languages: languages is mandatory; /environments/0/id: must be an integer` */
function detailOf({ findings, omitted }: Verdict): string {
  const errors = findings.filter((finding) => finding.severity === 'error');
  const named = errors.slice(0, NAMED_IN_DETAIL).map(inOneLine);
  if (errors.length > named.length) named.push(`${errors.length - named.length} more`);
  const count = `${errors.length}${omitted > 0 ? ' or more' : ''} error${errors.length === 1 ? '' : 's'}`;
  return `${count}: ${named.join('; ')}`;
}

function inOneLine({ pointer, message }: Finding): string {
  const text = message.startsWith(pointer) ? message : `${pointer}: ${message}`;
  return text.length > DETAIL_ITEM_LENGTH ? `${text.slice(0, DETAIL_ITEM_LENGTH - 1)}…` : text;
}

/** The first findings that fit into so many bytes of JSON. */
function within(findings: readonly Finding[], limit: number): readonly Finding[] {
  let left = limit;
  const end = findings.findIndex((finding) => {
    left -= Buffer.byteLength(JSON.stringify(finding));
    return left < 0;
  });
  return end < 0 ? findings : findings.slice(0, end);
}

export function sendProblem(res: ServerResponse, { status, headers, body }: GateAnswer): void {
  res.writeHead(status, headers as string[]).end(body);
}

/** What a client is told of something that is not thrown on purpose. */
export function ownFault(cause: unknown): PatchgateError {
  return new PatchgateError('internal', `Patchgate failed on this request: ${messageOf(cause)}`, { cause });
}

/** A whole answer, written by hand: where Node has handed over the bare socket, there is no response object any more. */
export function problemText(error: PatchgateError): string {
  const { status, headers, body } = problemOfError(error);
  let text = `HTTP/1.1 ${status} ${error.code}\r\nConnection: close\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${text}\r\n${body}`;
}
