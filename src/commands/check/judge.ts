import type { Gate } from '../../gate/gate.ts';
import { splitTarget } from '../../http/http.ts';
import { type CheckedFile, type Skipped, type Subject, subjectOf } from '../../reporters/report.ts';
import { amount, grouped } from '../../reporters/wording.ts';
import { RecordedHistory } from '../recorded-history.ts';
import { checkTarget, type JudgedAs, targetOf } from './operation.ts';
import { placed, placedSubjects, pointersInText, type TextPointer } from './places.ts';
import { type FoundRequests, type Input, type InputIo, readInput } from './read-input.ts';
import type { ProgressIo } from './standard-io.ts';

/**
 * Judges files, and reports them in their order.
 *
 * @param files as `findInputs` gives them
 * @throws PatchgateError where one cannot be read or judged
 */
export async function judgeAll(
  gate: Gate,
  files: readonly string[],
  as: JudgedAs,
  io: InputIo & ProgressIo,
): Promise<CheckedFile[]> {
  checkTarget(gate, as);
  const checked: CheckedFile[] = [];
  let judged = 0;
  const onJudged = () => {
    judged++;
    const done = () => `${grouped(checked.length)} of ${amount(files.length, 'file')}`;
    io.progress?.show(() => `judged ${amount(judged, 'request')}, ${done()}`);
  };
  for (const file of files) {
    const input = await readInput(file, io, gate.bodyLimit);
    if (input.kind === 'body') {
      checked.push(judgeBody(gate, input, as));
      onJudged();
    } else checked.push(await judgeRequests(gate, input, await requestsIn(input), onJudged));
  }
  return checked;
}

async function requestsIn(input: Input): Promise<FoundRequests> {
  return input.kind === 'har'
    ? (await import('./har.ts')).requestsOfArchive(input)
    : (await import('./recording.ts')).requestsOfRecording(input);
}

/** Judges the requests of one file in its order: what an exchange shows is known of the requests behind it. */
async function judgeRequests(
  gate: Gate,
  { name, path: file, kind }: Input,
  { text, requests }: FoundRequests,
  onJudged: () => void,
): Promise<CheckedFile> {
  const history = new RecordedHistory(gate);
  const subjects: Subject[] = [];
  const pointers: TextPointer[] = [];
  const skipped: Skipped[] = [];
  let unjudged = 0;
  for await (const found of requests) {
    if ('why' in found) {
      skipped.push(found);
      continue;
    }
    const { pointer, line, head, body, places, exchange } = found;
    const match = gate.match(head);
    const { path } = splitTarget(head.url);
    const facts = { pointer, ...(line !== undefined && { line }), method: head.method, path };
    if (!match) unjudged++;
    else if (!body) skipped.push({ ...facts, why: "the request's body is not in the file" });
    else {
      const record = gate.recordOf(match);
      const circumstances = { known: record && history.of(record), file };
      const { verdict } = gate.inspect({ ...head, body }, match, circumstances);
      subjects.push(subjectOf(facts, verdict));
      pointers.push(...pointersInText(places, body, verdict.findings));
      onJudged();
    }
    // Most of what a browser asks for is about no record.
    const shown = match || gate.recordAt(head.url) ? exchange() : undefined;
    if (shown) history.add(shown);
  }
  return {
    ...{ file: name, kind, subjects: placedSubjects(text, subjects, pointers), unjudged },
    ...(skipped.length > 0 && { skipped }),
  };
}

/** @throws PatchgateError `bad-usage` if nothing says which operation it is for */
function judgeBody(gate: Gate, { name, path: file, bytes }: Input, as: JudgedAs): CheckedFile {
  const target = targetOf(gate, name, bytes, as);
  const { head, match, path, taken } = target;
  const { verdict } = gate.inspect({ ...head, body: bytes }, match, { known: undefined, file });
  const facts = path === undefined ? { pointer: '' } : { pointer: '', method: 'PATCH', path };
  const subject = { ...subjectOf(facts, verdict), findings: placed(verdict, bytes) };
  return { file: name, kind: 'body', subjects: [subject], unjudged: 0, ...(taken && { taken }) };
}
