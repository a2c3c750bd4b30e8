import type { Gate } from '../../gate/gate.ts';
import { splitTarget } from '../../http/http.ts';
import type { Redaction } from '../../recordings/redact/redaction.ts';
import type { CheckedFile, Skipped, Subject } from '../../reporters/report.ts';
import { recordedHistory } from '../recorded-history.ts';
import type { Input } from './inputs.ts';
import { type JudgedAs, targetOf } from './operation.ts';
import { type FoundIn, placedInBody, placedInFile } from './places.ts';

/** Judges a file. @throws PatchgateError where it is broken, or nothing says which operation a body is for */
export async function judgeFile(
  gate: Gate,
  input: Input,
  as: JudgedAs,
  redaction: Redaction,
): Promise<CheckedFile> {
  if (input.kind !== 'body') return judgeRequests(gate, input, redaction);
  const { name, path: file, bytes } = input;
  const { head, match, path, taken } = targetOf(gate, name, bytes, as);
  const { verdict } = gate.inspect({ ...head, body: bytes }, match, { known: undefined, file });
  const findings = placedInBody(verdict.findings, bytes, redaction);
  const sent = path === undefined ? {} : { method: 'PATCH', path };
  const subject = { pointer: '', ...sent, ...verdict, findings };
  return { file: name, kind: 'body', subjects: [subject], unjudged: 0, ...(taken && { taken }) };
}

/** In the order of the file: what an exchange shows is known of the requests behind it. */
async function judgeRequests(gate: Gate, input: Input, redaction: Redaction): Promise<CheckedFile> {
  const { requestsIn } = await import('./requests.ts');
  const { text, requests } = requestsIn(input);
  const history = recordedHistory(gate);
  const subjects: Subject[] = [];
  const found: FoundIn[] = [];
  const skipped: Skipped[] = [];
  let unjudged = 0;
  for (const request of requests) {
    if ('why' in request) {
      skipped.push(request);
      continue;
    }
    const { pointer, head, body, place } = request;
    const match = gate.match(head);
    const facts = { pointer, method: head.method, path: splitTarget(head.url).path };
    if (!match) unjudged++;
    else if (!body) skipped.push({ ...facts, why: "the request's body is not in the file" });
    else {
      const record = gate.recordOf(match);
      const circumstances = { known: record && history.of(record), file: input.path };
      const { verdict } = gate.inspect({ ...head, body }, match, circumstances);
      subjects.push({ ...facts, ...verdict });
      found.push({ pointer, place, body, findings: verdict.findings });
    }
    // Most of what a browser asks for is about no record.
    if (match || gate.recordAt(head.url)) history.add(request.exchange());
  }
  const placed = placedInFile(text, found, redaction);
  const judged = subjects.map((subject, i) => ({ ...subject, findings: placed[i] ?? [] }));
  const { kind, name: file } = input;
  return { file, kind, subjects: judged, unjudged, ...(skipped.length > 0 && { skipped }) };
}
