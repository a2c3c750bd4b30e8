import type { Match } from '../../contract/match-operation.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import type { RequestHead } from '../../http/http.ts';
import { nearest } from '../../model/nearest.ts';
import type { RecordName } from '../../model/record.ts';
import { type CheckedFile, subjectOf } from '../../reporters/report.ts';
import type { BodyMapping } from '../../settings/extras.ts';
import { History, type InitialState } from './history.ts';
import { FileJudge, type LoneBody } from './judge-file.ts';
import { placed } from './places.ts';
import { type Input, type InputIo, readInput } from './read-input.ts';
import type { RecordingFile } from './recording.ts';
import type { ProgressIo } from './standard-io.ts';

/**
 * Judges files, and reports them in their order. The files of a recording are one history, so they are judged once all have been
 * read.
 *
 * @param files as `findInputs` gives them
 * @throws PatchgateError where one cannot be read or judged
 */
export async function judgeAll(
  gate: Gate,
  files: readonly string[],
  as: JudgedAs,
  initial: InitialState,
  io: InputIo & ProgressIo,
): Promise<CheckedFile[]> {
  const targetOf = bodyTargets(gate, as);
  const progress = { files: 0, of: files.length, judged: 0 };
  const onJudged = () => {
    progress.judged++;
    io.progress?.tell(progress);
  };
  const checked: CheckedFile[] = [];
  const recordings: { number: number; file: RecordingFile }[] = [];
  for (const [number, file] of files.entries()) {
    progress.files = number - recordings.length;
    const input = await readInput(file, io, gate.bodyLimit);
    if (input.kind === 'recording') {
      const { readRecording } = await import('./recording.ts');
      recordings.push({ number, file: readRecording(input) });
      continue;
    }
    const { kind, name, path, bytes } = input;
    if (kind === 'audit')
      throw new PatchgateError('bad-input', `${name} is an audit, which holds no bodies to judge`, {
        hint: `give it to patchgate report, and keep it out of the folders that are judged`,
      });
    const judge = new FileJudge(gate, path, onJudged);
    const judgeBody = (body: Pick<LoneBody, 'bytes' | 'pointer'> & { line?: number }, place: string) =>
      judge.add(judgedBody(gate, body, targetOf(path, place), initial, path));
    if (kind === 'body') judgeBody({ bytes, pointer: '' }, name);
    else await judgeInOrder(gate, input, judge, initial, (body) => judgeBody(body, `${name}:${body.line}`));
    checked[number] = judge.asFile(name, kind);
  }
  if (recordings.length === 0) return checked;
  progress.files = files.length - recordings.length;
  const { judgeRecordings } = await import('./recording.ts');
  const read = recordings.map(({ file }) => file);
  const judged = judgeRecordings(gate, read, initial, onJudged);
  for (const { number } of recordings) {
    checked[number] = judged.next().value as CheckedFile;
    progress.files++;
  }
  return checked;
}

/** Judges what stands in one file in its order: what an exchange shows is known of the requests behind it. */
async function judgeInOrder(
  gate: Gate,
  input: Input,
  judge: FileJudge,
  initial: InitialState,
  judgeBody: (body: LoneBody) => void,
): Promise<void> {
  const history = new History(gate, initial);
  const found =
    input.kind === 'har'
      ? (await import('./har.ts')).readEntries(input)
      : (await import('./requests.ts')).readLines(input);
  let index = 0;
  for await (const one of found) {
    if ('why' in one) judge.skip(one);
    else if ('bytes' in one) judgeBody(one);
    else {
      const place = { file: 0, index: index++ };
      const matches = judge.judge(one, (name) => history.knownBefore(name, place));
      // Most of what a browser asks for is about no record.
      const exchange = matches || gate.recordAt(one.head.url) ? one.exchange?.() : undefined;
      if (exchange) history.add(exchange, place, place.index);
    }
  }
}

/** Judges a body by itself. Several that are given are no history: nothing says that they are sent one after the other. */
function judgedBody(
  gate: Gate,
  { bytes, pointer, line }: Pick<LoneBody, 'bytes' | 'pointer'> & { line?: number },
  { head, match, path, record }: BodyTarget,
  initial: InitialState,
  file: string | undefined,
) {
  const known = record && initial.stateOf(record).of(record);
  const { verdict } = gate.inspect({ ...head, body: bytes }, match, { known, file });
  const where = { pointer, ...(line !== undefined && { line }) };
  const facts = path === undefined ? where : { ...where, method: 'PATCH', path };
  return { ...subjectOf(facts, verdict), findings: placed(verdict, bytes, line) };
}

/** What the bodies are judged as that do not say it themselves. Nothing is guessed. */
export interface JudgedAs {
  /** For all of them; at most one of the two. */
  operation?: string | undefined;
  path?: string | undefined;
  /** By file, where neither is given; the first one that is for a file counts. */
  bodies?: readonly BodyMapping[] | undefined;
}

/** The request that a body is judged as. */
interface BodyTarget {
  head: RequestHead;
  match: Match;
  /** Where a path was given. */
  path?: string;
  record?: RecordName | undefined;
}

const HEADERS = ['content-type', 'application/json'];
const EXAMPLE = '/accounts/current/projects/42';

/**
 * Says what a body is judged as, by its file (absolute; undefined: standard input) and its place for people.
 *
 * @throws PatchgateError `bad-usage` where nothing says it; at once `bad-usage`, `bad-config` where the contract has no such
 *   operation
 */
export function bodyTargets(gate: Gate, { operation, path, bodies = [] }: JudgedAs) {
  const given = targetOf(gate, { operation, path });
  const mapped = bodies.map((mapping) => ({
    isFor: mapping.files,
    target: targetOf(gate, mapping, mapping.place),
  }));
  return (file: string | undefined, place: string): BodyTarget => {
    const target = given ?? mapped.find(({ isFor }) => file !== undefined && isFor(file))?.target;
    if (target) return target;
    throw new PatchgateError('bad-usage', `nothing says which operation the body ${place} is for`, {
      hint: `give --operation with one of: ${gate.operations.join(', ')}; or --path, as in --path ${EXAMPLE}; or name the file under "bodies" in the config file`,
    });
  };
}

/** @param place in a config file, for messages */
function targetOf(
  gate: Gate,
  { operation, path }: Pick<JudgedAs, 'operation' | 'path'>,
  place?: string,
): BodyTarget | undefined {
  const operations = gate.operations.join(', ');
  const fail = (message: string, hint: string) =>
    place === undefined
      ? new PatchgateError('bad-usage', message, { hint })
      : new PatchgateError('bad-config', `${place}: ${message}`, { hint });
  if (path !== undefined) {
    if (!/^(?:\/|https?:)/i.test(path))
      throw fail(`the path ${path} does not begin with a slash`, `give one like ${EXAMPLE}`);
    const head = { method: 'PATCH', url: path, headers: HEADERS };
    const match = gate.match(head);
    if (match) return { head, match, path, record: gate.recordOf(match) };
    const option = place === undefined ? '--operation with' : '"operation",';
    const hint = `give a path like ${EXAMPLE}, or ${option} one of: ${operations}`;
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
