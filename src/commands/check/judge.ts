import type { Gate } from '../../gate/gate.ts';
import { splitTarget } from '../../http/http.ts';
import type { CheckedFile, Skipped, Subject } from '../../reporters/report.ts';
import { RecordedHistory } from '../recorded-history.ts';
import type { Input } from './inputs.ts';
import { type JudgedAs, targetOf } from './operation.ts';
import { type FoundIn, placedInBody, placedInFile } from './places.ts';

/** Judges a file. @throws PatchgateError where it is broken, or nothing says which operation a body is for */
export async function judgeFile(gate: Gate, input: Input, as: JudgedAs): Promise<CheckedFile> {
  return input.kind === 'body' ? judgeBody(gate, input, as) : judgeRequests(gate, input);
}

function judgeBody(gate: Gate, { name, path: file, bytes }: Input, as: JudgedAs): CheckedFile {
  const { head, match, path, taken } = targetOf(gate, name, bytes, as);
  const { verdict } = gate.inspect({ ...head, body: bytes }, match, { known: undefined, file });
  const facts = { pointer: '', ...(path !== undefined && { method: 'PATCH', path }) };
  const subject = { ...facts, ...verdict, findings: placedInBody(verdict.findings, bytes) };
  return { file: name, kind: 'body', subjects: [subject], unjudged: 0, ...(taken && { taken }) };
}

/** In the order of the file: what an exchange shows is known of the requests behind it. */
async function judgeRequests(gate: Gate, input: Input): Promise<CheckedFile> {
  const { requestsIn } = await import('./requests.ts');
  const { text, requests } = requestsIn(input);
  const history = new RecordedHistory(gate);
  const subjects: Subject[] = [];
  const found: FoundIn[] = [];
  const skipped: Skipped[] = [];
  let unjudged = 0;
  for (const request of requests) {
    if ('why' in request) {
      skipped.push(request);
      continue;
    }
    const { pointer, line, head, body, place } = request;
    const match = gate.match(head);
    const { path } = splitTarget(head.url);
    const facts = { pointer, ...(line !== undefined && { line }), method: head.method, path };
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
  const placed = placedInFile(text, found);
  return {
    file: input.name,
    kind: input.kind,
    subjects: subjects.map((subject, i) => ({ ...subject, findings: placed[i] ?? [] })),
    unjudged,
    ...(skipped.length > 0 && { skipped }),
  };
}
