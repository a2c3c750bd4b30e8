import type { Gate } from '../../gate/gate.ts';
import { type Kept, knownOf, learned, tellingOf } from '../../guard/kept.ts';
import { splitTarget } from '../../http/http.ts';
import { recordKey } from '../../model/record.ts';
import { jsonOf } from '../../recordings/body.ts';
import type { Redaction } from '../../recordings/redact/redaction.ts';
import type { CheckedFile, Skipped, Subject } from '../../reporters/report.ts';
import type { Input } from './inputs.ts';
import { type JudgedAs, targetOf } from './operation.ts';
import { type FoundIn, placedInBody, placedInFile } from './places.ts';

/** Judges a file. @throws PatchgateError if it is broken, or nothing says which operation a body is for */
export async function judgeFile(
  gate: Gate,
  input: Input,
  as: JudgedAs,
  redaction: Redaction,
): Promise<CheckedFile> {
  if (input.kind !== 'body') return judgeRequests(gate, input, redaction);
  const { name, bytes } = input;
  const { head, match, path, taken } = targetOf(gate, name, bytes, as);
  const { verdict } = gate.inspect({ ...head, body: bytes }, match, { isInFile: true });
  const findings = placedInBody(verdict.findings, bytes, redaction);
  const sent = path === undefined ? {} : { method: 'PATCH', path };
  const subject = { pointer: '', ...sent, ...verdict, findings };
  return { file: name, kind: 'body', subjects: [subject], unjudged: 0, ...(taken && { taken }) };
}

/** In the order of the file: what an exchange shows is known of the requests behind it. */
async function judgeRequests(gate: Gate, input: Input, redaction: Redaction): Promise<CheckedFile> {
  const { requestsIn } = await import('./requests.ts');
  const { text, requests } = requestsIn(input);
  /** What the exchanges so far show of the projects. */
  const history = new Map<string, Kept>();
  const subjects: Subject[] = [];
  const found: FoundIn[] = [];
  const skipped: Skipped[] = [];
  let unjudged = 0;
  for (const { pointer, head, body, place, answer: answerOf } of requests) {
    const match = gate.match(head);
    const facts = { pointer, method: head.method, path: splitTarget(head.url).path };
    if (!match) unjudged++;
    else if (!body) skipped.push({ ...facts, why: "the request's body is not in the file" });
    else {
      const record = gate.recordOf(match);
      const known = record && knownOf(history.get(recordKey(record)));
      const circumstances = { known: known && { ...known, seenAt: undefined }, isInFile: true };
      const { verdict } = gate.inspect({ ...head, body }, match, circumstances);
      subjects.push({ ...facts, ...verdict });
      found.push({ pointer, place, body, findings: verdict.findings });
    }
    const shown = match ? gate.recordOf(match) : gate.recordAt(head.url);
    if (shown?.kind !== 'project') continue;
    const sent = match && body && jsonOf({ text: body.toString('utf8') });
    const answer = answerOf();
    const answered = answer && { ...answer, headers: [] };
    const kept = learned(history.get(recordKey(shown)), tellingOf(shown, head, sent), answered);
    if (kept) history.set(recordKey(shown), kept);
  }
  const placed = placedInFile(text, found, redaction);
  const judged = subjects.map((subject, i) => ({ ...subject, findings: placed[i] ?? [] }));
  const { kind, name: file } = input;
  return { file, kind, subjects: judged, unjudged, ...(skipped.length > 0 && { skipped }) };
}
