import type { Gate } from '../../gate/gate.ts';
import { type CheckedFile, type Skipped, type Subject, subjectOf } from '../../reporters/report.ts';
import { type BodyTarget, BodyTargets, type JudgedAs } from './body-targets.ts';
import type { History } from './history.ts';
import type { InitialState } from './initial-state.ts';
import { FileJudge, type FoundRequest, type LoneBody } from './judge-file.ts';
import { placed } from './places.ts';
import type { ProgressIo } from './progress.ts';
import { type Input, type InputIo, readInput } from './read-input.ts';
import type { RecordingFile } from './recording.ts';

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
  const targets = new BodyTargets(gate, as);
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
    const { kind, name, path, bytes } = input;
    if (kind === 'recording') {
      const { readRecording } = await import('./recording.ts');
      recordings.push({ number, file: readRecording(input) });
      continue;
    }
    const judge = new FileJudge(gate, path, onJudged);
    if (kind === 'body')
      judge.add(judgeBody(gate, { bytes, pointer: '' }, targets.of(path, name), initial, path));
    else {
      const { History } = await import('./history.ts');
      const history = new History(gate, initial);
      const judgeLone = (body: LoneBody) =>
        judgeBody(gate, body, targets.of(path, `${name}:${body.line}`), initial, path);
      await judgeInOrder(gate, await requestsIn(input), judge, history, judgeLone);
    }
    checked[number] = judge.asFile(name, kind);
  }
  if (recordings.length > 0) {
    progress.files = files.length - recordings.length;
    const { judgeRecordings } = await import('./recording.ts');
    const judged = judgeRecordings(
      gate,
      recordings.map(({ file }) => file),
      initial,
      onJudged,
    );
    for (const { number } of recordings) {
      checked[number] = judged.next().value as CheckedFile;
      progress.files++;
    }
  }
  return checked;
}

/** Each is read as it is judged. */
async function requestsIn(
  input: Input,
): Promise<AsyncIterable<FoundRequest | Skipped> | Iterable<FoundRequest | LoneBody>> {
  return input.kind === 'har'
    ? (await import('./har.ts')).readEntries(input)
    : (await import('./requests.ts')).readLines(input);
}

/** Judges what stands in one file in its order: what an exchange shows is known of the requests behind it. */
async function judgeInOrder(
  gate: Gate,
  found: Awaited<ReturnType<typeof requestsIn>>,
  judge: FileJudge,
  history: History,
  judgeLone: (body: LoneBody) => Subject,
): Promise<void> {
  let index = 0;
  for await (const one of found) {
    if ('why' in one) judge.skip(one);
    else if ('bytes' in one) judge.add(judgeLone(one));
    else {
      const place = { file: 0, index: index++ };
      const matches = judge.judge(one, (name) => history.knownBefore(name, place));
      // Most of what a browser asks for is about no record.
      if (one.exchange && (matches || gate.recordAt(one.head.url)))
        history.add(one.exchange(), place, place.index);
    }
  }
}

/** Judges a body by itself. Several that are given are no history: nothing says that they are sent one after the other. */
function judgeBody(
  gate: Gate,
  { bytes, pointer, line }: Omit<LoneBody, 'line'> & { line?: number },
  { head, match, path, record }: BodyTarget,
  initial: InitialState,
  file: string | undefined,
): Subject {
  const known = record && initial.stateOf(record).of(record);
  const { verdict } = gate.inspect({ ...head, body: bytes }, match, { known, file });
  const facts = {
    pointer,
    ...(line !== undefined && { line }),
    ...(path !== undefined && { method: 'PATCH', path }),
  };
  return { ...subjectOf(facts, verdict), findings: placed(verdict, bytes, line) };
}
