import { type ServerResponse, STATUS_CODES } from 'node:http';
import { type ErrorCode, messageOf, PatchgateError } from '../errors.ts';
import type { Remediation } from '../guard/guard.ts';
import type { Verdict } from '../model/finding.ts';
import { shortened } from '../model/short-text.ts';
import type { Answer } from '../upstreams/upstream.ts';

/** An answer that the gate gives itself: `application/problem+json` (RFC 9457). */
export interface GateAnswer extends Answer {
  body: Buffer;
  /** The body without the parts for the client alone; absent if it has none. */
  shown?: Buffer;
  /** What it tells of, in one sentence; absent if the request was judged. */
  failure?: string;
}

/** Problems without a name of HTTP's own; RFC 9457 wants the title of a type to be the same each time. */
type ProblemType = ErrorCode | NonNullable<Verdict['problem']> | 'injected-fault';
const TITLES: { [type in ProblemType]?: string } = {
  'invalid-request': 'The gate blocked this PATCH',
  'destructive-change': 'The gate blocked this PATCH, because of what it could delete',
  'no-recording': 'The recording has no answer to this request',
};

/** Characters of findings that an answer carries at most, and of a corrected body: one pointer alone can be as long as a request's body. */
const LONGEST_PART = 1_048_576;
const NAMED_IN_DETAIL = 5;
const DETAIL_ITEM_LENGTH = 200;

/** The answer to a request that the gate blocked. @param remediation how to go on, if it lost something */
export function problemOfVerdict(verdict: Verdict, remediation?: Remediation): GateAnswer {
  const { problem: type = 'invalid-request', status = 422, operation, effects, effectsOmitted } = verdict;
  const { approval, corrected } = remediation ?? {};
  let { findings } = verdict;
  while (!isShort(findings)) findings = findings.slice(0, findings.length / 2);
  const omitted = verdict.omitted + verdict.findings.length - findings.length;
  const told = { detail: detailOf(verdict), hint: remediation && hintOf(remediation, type), operation };
  const answerWith = (approve: string | undefined) =>
    problem(type, status, {
      ...{ ...told, approve, approval, corrected: isShort(corrected) ? corrected : undefined },
      ...{ findings, omitted: omitted || undefined, effects, effectsOmitted },
    });
  const answer = answerWith(remediation?.approve);
  const headers = [...answer.headers, 'Patchgate-Blocked', type];
  return { ...answer, headers, ...(remediation?.approve && { shown: answerWith('[redacted]').body }) };
}

function hintOf({ corrected, approve, approval, needsApprover }: Remediation, type: ProblemType): string {
  if (type !== 'destructive-change') return 'send `corrected`: it has all that the project has now';
  const again = 'send the same request again with `Patchgate-Approve: <token>`';
  const ways = [
    corrected && 'send `corrected` to keep them',
    approve && (needsApprover ? `have an approver approve ${approval}, then ${again}` : again),
  ];
  return ways.filter(Boolean).join(', or ') || 'no approval lets it pass';
}

/** The answer to a request that something kept from being answered. Carries no stack and no cause. */
export function problemOfError({ code, status, message, hint, details }: PatchgateError): GateAnswer {
  const { headers, ...answer } = problem(code, status, { ...details, detail: message, hint });
  const more = status === 401 ? ['WWW-Authenticate', 'Bearer'] : status === 503 ? ['Retry-After', '5'] : [];
  return { ...answer, headers: [...headers, ...more], failure: message };
}

/** A problem of any type. `type`, `title` and `status` cannot be overridden by a member. */
export function problem(type: ProblemType, status: number, members: object): GateAnswer {
  const title = TITLES[type] ?? STATUS_CODES[status];
  const fixed = { type: `urn:patchgate:problem:${type}`, title, status };
  // People read in a terminal what a PATCH would delete.
  const indent = type === 'destructive-change' ? 2 : undefined;
  const body = Buffer.from(`${JSON.stringify({ ...fixed, ...members, ...fixed }, null, indent)}\n`);
  const headers = ['Content-Type', 'application/problem+json', 'Content-Length', String(body.length)];
  // A 404 or 501 may be kept by any cache that is not told otherwise (RFC 9110 15.1).
  headers.push('Cache-Control', 'no-store');
  return { status, message: '', headers, body, from: 'gate' };
}

/** `2 errors: /languages: languages is mandatory; /environments/0/id: must be an integer` */
function detailOf({ findings, omitted }: Verdict): string {
  const errors = findings.filter((finding) => finding.severity === 'error');
  const named = errors.slice(0, NAMED_IN_DETAIL).map(({ pointer, message }) => {
    return shortened(message.startsWith(pointer) ? message : `${pointer}: ${message}`, DETAIL_ITEM_LENGTH);
  });
  if (errors.length > named.length) named.push(`${errors.length - named.length} more`);
  const count = `${errors.length}${omitted > 0 ? ' or more' : ''} error${errors.length === 1 ? '' : 's'}`;
  return `${count}: ${named.join('; ')}`;
}

function isShort(part: unknown): boolean {
  return JSON.stringify(part ?? null).length <= LONGEST_PART;
}

export function sendProblem(res: ServerResponse, { status, headers, body }: GateAnswer): void {
  res.writeHead(status, headers as string[]).end(body);
}

/** The answer to an error that nobody throws on purpose. */
export function ownFault(cause: unknown): PatchgateError {
  return new PatchgateError('internal', `Patchgate failed on this request: ${messageOf(cause)}`, { cause });
}

/** A whole answer, written by hand: when Node has handed over the bare socket, there is no response object any more. */
export function problemText(error: PatchgateError): string {
  const { status, headers, body } = problemOfError(error);
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? error.code}\r\nConnection: close\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${text}\r\n${body}`;
}
