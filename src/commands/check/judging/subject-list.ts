import type { CheckedFile, Skipped, Subject } from '../../../reporters/report.ts';

/** Why a request that an operation concerns could not be judged. */
export const NO_BODY = "the request's body is not in the file";

/** What was judged of one file, in its order. */
export class SubjectList {
  readonly #onJudged: (() => void) | undefined;
  readonly #subjects: Subject[] = [];
  readonly #skipped: Skipped[] = [];
  #unjudged = 0;

  /** @param onJudged told of each request that was judged */
  constructor(onJudged?: () => void) {
    this.#onJudged = onJudged;
  }

  add(subject: Subject): void {
    this.#onJudged?.();
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
    const skipped = this.#skipped;
    return {
      ...{ file, kind, subjects: this.#subjects, unjudged: this.#unjudged },
      ...(skipped.length > 0 && { skipped }),
    };
  }
}
