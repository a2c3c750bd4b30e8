import type { Gate } from '../../gate.ts';
import type { CheckedFile } from '../../reporters/report.ts';
import type { Beforehand } from './beforehand.ts';
import { STDIN } from './find-inputs.ts';
import { type JudgedAs, judgeBody } from './judge-body.ts';
import type { RecordingFile } from './judge-recording.ts';
import { type InputIo, readInput } from './read-input.ts';

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
  io: InputIo,
): Promise<CheckedFile[]> {
  let ofRecordings: Awaited<ReturnType<typeof openHistories>> | undefined;
  const checked: CheckedFile[] = [];
  /** Those that are still to be judged, by their numbers. */
  const waiting = new Map<number, RecordingFile | undefined>();
  let held = 0;
  for (const [number, file] of files.entries()) {
    const input = await readInput(file, io, gate.bodyLimit);
    if (input.kind === 'body') {
      checked[number] = judgeBody(gate, input, as, beforehand);
      continue;
    }
    ofRecordings ??= await openHistories(gate, beforehand, io);
    const { histories, judgeRecording, readRecording } = ofRecordings;
    const recording = readRecording(input);
    if (!histories.add(number, recording)) {
      checked[number] = judgeRecording(gate, recording, () => undefined);
      continue;
    }
    held += recording.text.length;
    // Standard input can be read only once.
    waiting.set(number, held <= HELD || file === STDIN ? recording : undefined);
  }
  if (!ofRecordings) return checked;
  const { histories, judgeRecording, readRecording } = ofRecordings;
  for (const [number, there] of waiting) {
    const recording = there ?? readRecording(await readInput(files[number] as string, io, gate.bodyLimit));
    checked[number] = judgeRecording(gate, recording, histories.knownIn(number));
    waiting.set(number, undefined);
  }
  return checked;
}

/** Loads what only recordings take: a body alone is judged sooner without it. */
async function openHistories(gate: Gate, beforehand: Beforehand, { cwd }: InputIo) {
  const [{ Histories }, reading] = await Promise.all([
    import('./histories.ts'),
    import('./judge-recording.ts'),
  ]);
  return { histories: new Histories(gate, beforehand, cwd), ...reading };
}
