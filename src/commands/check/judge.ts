import type { Match } from '../../contract/match-operation.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { recordedUpdate } from '../../guard/recorded-history.ts';
import { type RequestHead, splitTarget } from '../../http/http.ts';
import { nearest } from '../../model/nearest.ts';
import { LEARNT } from '../../model/record.ts';
import { type CheckedFile, type Skipped, type Subject, subjectOf } from '../../reporters/report.ts';
import { KnownState } from '../../state/known-state.ts';
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
  const target = targetOf(gate, as);
  const progress = { files: 0, of: files.length, judged: 0 };
  const onJudged = () => {
    progress.judged++;
    io.progress?.tell(progress);
  };
  const checked: CheckedFile[] = [];
  for (const file of files) {
    const input = await readInput(file, io, gate.bodyLimit);
    if (input.kind === 'body') {
      checked.push(judgeBody(gate, input, target));
      onJudged();
    } else checked.push(await judgeRequests(gate, input, await requestsIn(input), onJudged));
    progress.files++;
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
  const state = new KnownState();
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
      const circumstances = { known: record && state.of(record), file };
      const { verdict } = gate.inspect({ ...head, body }, match, circumstances);
      subjects.push(subjectOf(facts, verdict));
      pointers.push(...pointersInText(places, body, verdict.findings));
      onJudged();
    }
    // Most of what a browser asks for is about no record.
    const shown = match || gate.recordAt(head.url) ? exchange() : undefined;
    if (shown) recordedUpdate(gate, LEARNT, shown)?.apply(state);
  }
  return {
    ...{ file: name, kind, subjects: placedSubjects(text, subjects, pointers), unjudged },
    ...(skipped.length > 0 && { skipped }),
  };
}

/** @throws PatchgateError `bad-usage` where nothing says which operation it is for: nothing is guessed */
function judgeBody(gate: Gate, { name, path: file, bytes }: Input, target?: BodyTarget): CheckedFile {
  if (!target) {
    throw new PatchgateError('bad-usage', `nothing says which operation the body ${name} is for`, {
      hint: `give --operation with one of: ${gate.operations.join(', ')}; or --path, as in --path ${EXAMPLE}`,
    });
  }
  const { head, match, path } = target;
  const { verdict } = gate.inspect({ ...head, body: bytes }, match, { known: undefined, file });
  const facts = path === undefined ? { pointer: '' } : { pointer: '', method: 'PATCH', path };
  const subject = { ...subjectOf(facts, verdict), findings: placed(verdict, bytes) };
  return { file: name, kind: 'body', subjects: [subject], unjudged: 0 };
}

/** What the bodies are judged as; at most one of the two. */
export interface JudgedAs {
  operation?: string | undefined;
  path?: string | undefined;
}

/** The request that a body is judged as. */
interface BodyTarget {
  head: RequestHead;
  match: Match;
  /** Where a path was given. */
  path?: string;
}

const HEADERS = ['content-type', 'application/json'];
const EXAMPLE = '/accounts/current/projects/42';

/** @throws PatchgateError `bad-usage` where the contract has no such operation */
function targetOf(gate: Gate, { operation, path }: JudgedAs): BodyTarget | undefined {
  const operations = gate.operations.join(', ');
  const fail = (message: string, hint: string) => new PatchgateError('bad-usage', message, { hint });
  if (path !== undefined) {
    if (!/^(?:\/|https?:)/i.test(path))
      throw fail(`the path ${path} does not begin with a slash`, `give one like ${EXAMPLE}`);
    const head = { method: 'PATCH', url: path, headers: HEADERS };
    const match = gate.match(head);
    if (match) return { head, match, path };
    const hint = `give a path like ${EXAMPLE}, or --operation with one of: ${operations}`;
    throw fail(`no operation of the contract is a PATCH of ${path}`, hint);
  }
  if (operation === undefined) return undefined;
  if (!gate.operations.includes(operation)) {
    const near = nearest(operation, gate.operations);
    const hint = `operations: ${operations}${near ? `; did you mean ${near}?` : ''}`;
    throw fail(`the contract has no operation ${JSON.stringify(operation)}`, hint);
  }
  // Whatever its path.
  const match = { operation, parameters: {}, findings: [] };
  return { head: { method: '', url: '', headers: HEADERS }, match };
}
