import type { CheckedFile, Skipped, Subject } from '../../../reporters/report.ts';

/** How many subjects that nothing is to be said of can still be kept; of further ones there is only a number. */
export interface Room {
  left: number;
  /** Told of each request that was judged. */
  onJudged?: (() => void) | undefined;
}

const MOST = 10_000;

export function newRoom(onJudged?: () => void): Room {
  return { left: MOST, onJudged };
}

/** What was judged of one file, in its order. */
export class SubjectList {
  readonly #room: Room;
  readonly #subjects: Subject[] = [];
  readonly #skipped: Skipped[] = [];
  #clean = 0;
  #unjudged = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  add(subject: Subject): void {
    this.#room.onJudged?.();
    if (isClean(subject)) {
      if (this.#room.left === 0) {
        this.#clean++;
        return;
      }
      this.#room.left--;
    }
    this.#subjects.push(subject);
  }

  /** One that an operation concerns, yet that could not be judged. */
  skip(skipped: Skipped): void {
    this.#skipped.push(skipped);
  }

  /** One that no operation concerns. */
  addUnjudged(): void {
    this.#unjudged++;
  }

  asFile(file: string, kind: CheckedFile['kind']): CheckedFile {
    return {
      file,
      kind,
      subjects: this.#subjects,
      ...(this.#clean > 0 && { clean: this.#clean }),
      unjudged: this.#unjudged,
      ...(this.#skipped.length > 0 && { skipped: this.#skipped }),
    };
  }
}

function isClean({ outcome, findings, effects, omitted, before }: Subject): boolean {
  const isQuiet = findings.length === 0 && effects === undefined && omitted === 0;
  return isQuiet && outcome === 'pass' && before?.outcome !== 'block';
}

/** Makes of files that had room for themselves what they would be had they shared it. */
export function shareRoom(files: readonly CheckedFile[]): CheckedFile[] {
  const room = newRoom();
  return files.map((file) => {
    const list = new SubjectList(room);
    for (const subject of file.subjects) list.add(subject);
    const { subjects, clean = 0 } = list.asFile(file.file, file.kind);
    return clean === 0 ? file : { ...file, subjects, clean: clean + (file.clean ?? 0) };
  });
}
