import { PatchgateError } from '../../../errors.ts';
import type { Gate } from '../../../gate/gate.ts';
import type { CheckedFile } from '../../../reporters/report.ts';
import type { Beforehand } from '../history/beforehand.ts';
import { STDIN } from '../inputs/find-inputs.ts';
import { type BytesInput, type InputIo, readInput } from '../inputs/read-input.ts';
import type { ProgressIo } from '../report/progress.ts';
import { BodyTargets, type JudgedAs } from './body-targets.ts';
import { judgeBodyFile } from './judge-body.ts';
import type { RecordingFile } from './judge-recording.ts';

/** Characters of files that are held in memory until they can be judged; further ones are read again. */
const HELD = 4 * 1024 * 1024;

/**
 * Judges files, and reports them in their order. What a recording's files ask for is held against what the others show, so it is
 * judged when all have been read.
 *
 * @param files as `findInputs` gives them
 * @throws PatchgateError where one cannot be read or judged
 */
export async function judgeAll(
  gate: Gate,
  files: readonly string[],
  as: JudgedAs,
  beforehand: Beforehand,
  io: InputIo & ProgressIo,
): Promise<CheckedFile[]> {
  const targets = new BodyTargets(gate, as);
  const progress = { files: 0, of: files.length, judged: 0 };
  const onJudged = () => {
    progress.judged++;
    io.progress?.tell(progress);
  };
  let ofRecordings: Awaited<ReturnType<typeof openHistories>> | undefined;
  const checked: CheckedFile[] = [];
  /** Those that are still to be judged, by their numbers. */
  const waiting = new Map<number, RecordingFile | undefined>();
  let held = 0;
  for (const [number, file] of files.entries()) {
    progress.files = number - waiting.size;
    const input = await readInput(file, io, gate.bodyLimit);
    if (input.kind === 'body') {
      const target = targets.of(input.path, input.name);
      checked[number] = judgeBodyFile(gate, input, target, beforehand, onJudged);
      continue;
    }
    if (input.kind === 'requests') {
      const { judgeRequests } = await import('../requests/judge-requests.ts');
      checked[number] = await judgeRequests(gate, input, targets, beforehand, onJudged);
      continue;
    }
    if (input.kind === 'har') {
      const { judgeHar } = await import('../har/judge-har.ts');
      checked[number] = await judgeHar(gate, input, beforehand, onJudged);
      continue;
    }
    ofRecordings ??= await openHistories(gate, beforehand, io);
    const { checkBodies, histories, judgeRecording, readRecording } = ofRecordings;
    const recording = readRecording(input);
    if (input.path !== undefined) checkBodies(input.path, recording.exchanges);
    if (!histories.add(number, recording)) {
      checked[number] = judgeRecording(gate, recording, () => undefined, onJudged);
      continue;
    }
    held += recording.text.length;
    // Standard input can be read only once.
    waiting.set(number, held <= HELD || file === STDIN ? recording : undefined);
  }
  if (!ofRecordings) return checked;
  const { histories, judgeRecording, readRecording } = ofRecordings;
  progress.files = files.length - waiting.size;
  for (const [number, there] of waiting) {
    const file = files[number] as string;
    const recording = there ?? readRecording(await readAgain(file));
    checked[number] = judgeRecording(gate, recording, histories.knownIn(number), onJudged);
    waiting.set(number, undefined);
    progress.files++;
  }
  return checked;

  async function readAgain(file: string): Promise<BytesInput> {
    const input = await readInput(file, io, gate.bodyLimit);
    if (input.kind === 'recording') return input;
    throw new PatchgateError('bad-input', `${file} has changed while it was judged`);
  }
}

/** Loads what only recordings take: a body alone is judged sooner without it. */
async function openHistories(gate: Gate, beforehand: Beforehand, { cwd }: InputIo) {
  const [{ Histories }, reading, { checkBodies }] = await Promise.all([
    import('../history/histories.ts'),
    import('./judge-recording.ts'),
    import('../../../recordings/store/exchange-file.ts'),
  ]);
  return { histories: new Histories(gate, beforehand, cwd), checkBodies, ...reading };
}
