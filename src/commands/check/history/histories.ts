import type { Gate } from '../../../gate/gate.ts';
import type { RecordingFile } from '../judging/judge-recording.ts';
import type { Beforehand } from './beforehand.ts';
import { History, type KnownBefore } from './history.ts';
import { recordingOf } from './recording-of.ts';

/** The histories that files of recordings make up: one for each recording, and for each file that belongs to none. */
export class Histories {
  readonly #gate: Gate;
  readonly #beforehand: Beforehand;
  readonly #cwd: string;
  readonly #byFolder = new Map<string, History>();
  /** By the files' numbers. */
  readonly #byFile: History[] = [];

  constructor(gate: Gate, beforehand: Beforehand, cwd: string) {
    this.#gate = gate;
    this.#beforehand = beforehand;
    this.#cwd = cwd;
  }

  /**
   * @param file its number among the files, in their order
   * @returns whether it is to be judged by what is known, once all files have been added
   */
  add(file: number, { name, exchanges }: RecordingFile): boolean {
    const folder = recordingOf(name, exchanges, this.#cwd);
    let history = folder === undefined ? undefined : this.#byFolder.get(folder);
    if (!history) {
      history = new History(this.#gate, this.#beforehand);
      if (folder !== undefined) this.#byFolder.set(folder, history);
    }
    this.#byFile[file] = history;
    return history.add(file, exchanges);
  }

  knownIn(file: number): KnownBefore {
    return (this.#byFile[file] as History).knownIn(file);
  }
}
