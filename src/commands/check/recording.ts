import { sep } from 'node:path';
import type { Gate } from '../../gate/gate.ts';
import { headOf } from '../../guard/recorded-history.ts';
import { type Exchange, isKept } from '../../model/exchange.ts';
import { bodyBytes } from '../../recordings/body.ts';
import { orderTimes } from '../../recordings/order-times.ts';
import { decodeRecording, parseRecording } from '../../recordings/store/file-format.ts';
import { locationOf } from '../../recordings/store/location.ts';
import type { CheckedFile } from '../../reporters/report.ts';
import { History, type InitialState } from './history.ts';
import { FileJudge } from './judge-file.ts';
import { requestPlaces } from './places.ts';
import type { Input } from './read-input.ts';

/** A file of a recording, as read. */
export interface RecordingFile extends Pick<Input, 'name' | 'path'> {
  text: string;
  exchanges: readonly Exchange[];
}

/** @throws PatchgateError `bad-recording` where the file is broken */
export function readRecording({ name, path, bytes }: Input): RecordingFile {
  const text = decodeRecording(bytes, name);
  const { exchanges } = parseRecording(text, name);
  return { name, path, text, exchanges };
}

/**
 * Judges each exchange of files, as today's contract has it. The files of one recording are a history, in the order of recording;
 * a file that belongs to none is one by itself.
 *
 * @returns the files in their order
 */
export function* judgeRecordings(
  gate: Gate,
  files: readonly RecordingFile[],
  initial: InitialState,
  onJudged?: () => void,
): Generator<CheckedFile> {
  const byFolder = new Map<string, History>();
  const histories = files.map(({ path, exchanges }, file) => {
    const folder = recordingOf(path, exchanges);
    const history = byFolder.get(folder ?? '') ?? new History(gate, initial);
    if (folder !== undefined) byFolder.set(folder, history);
    const timeOf = orderTimes();
    for (const [index, exchange] of exchanges.entries())
      history.add(exchange, { file, index }, timeOf(exchange));
    return history;
  });
  for (const [file, { name, path, text, exchanges }] of files.entries()) {
    const judge = new FileJudge(gate, path, onJudged);
    const whole = { text, line: 1 };
    for (const [index, { request, meta }] of exchanges.entries()) {
      const pointer = `/exchanges/${index}`;
      const found = {
        ...{ pointer, text: whole, head: headOf(request), time: meta.recordedAt },
        body: isKept(request.body) ? bodyBytes(request.body) : undefined,
        places: requestPlaces(`${pointer}/request`, request),
      };
      judge.judge(found, (record) => histories[file]?.knownBefore(record, { file, index }));
    }
    yield judge.asFile(name, 'recording');
  }
}

/**
 * The folder of the recording that a file belongs to: the one below which it lies where the recording keeps its exchanges.
 * Undefined where it lies elsewhere, or holds exchanges of several methods or paths: it was moved, or written by hand.
 */
export function recordingOf(file: string | undefined, exchanges: readonly Exchange[]): string | undefined {
  const [first] = exchanges;
  if (!first || file === undefined) return undefined;
  const { method, path } = first.request;
  if (exchanges.some(({ request }) => request.method !== method || request.path !== path)) return undefined;
  const end = `/${locationOf(method, path)}`;
  return file.replaceAll(sep, '/').endsWith(end) ? file.slice(0, -end.length) : undefined;
}
