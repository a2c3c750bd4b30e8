import { PatchgateError } from '../errors.ts';

/** How bad it is: nothing is lost as long as the process lives, or not even then. */
type State = 'well' | 'journal' | 'memory' | 'losing';

const RISK: Readonly<Record<Exclude<State, 'well'>, string>> = {
  journal:
    'Nothing is lost: it stays in the journal, and gets into its file as soon as that can be written, at the next start at the latest.',
  memory: 'What is recorded now is only in memory, and lost if this process is killed.',
  losing: 'No more fits in memory: exchanges are lost from now on.',
};
const ORDER: readonly State[] = ['well', 'journal', 'memory', 'losing'];

/** Says when trouble with the disk begins, when it becomes worse, and when it is over: once each. */
export class TroubleNotices {
  readonly #root: string;
  readonly #notice: (text: string) => void;
  #state: State = 'well';
  #lost = 0;

  constructor(root: string, notice: (text: string) => void = () => undefined) {
    this.#root = root;
    this.#notice = notice;
  }

  /**
   * To be called whenever something may have changed.
   *
   * @param reason why something cannot be written, as of now
   * @param isInMemory whether an exchange is nowhere but in memory
   * @param lost exchanges that were not kept so far
   */
  tell(reason: Error | undefined, isInMemory: boolean, lost: number): void {
    const before = this.#state;
    const isLosing = lost > this.#lost || (before === 'losing' && isInMemory);
    const now: State = !reason ? 'well' : isLosing ? 'losing' : isInMemory ? 'memory' : 'journal';
    this.#lost = lost;
    if (now === before) return;
    this.#state = now;
    if (now === 'well') {
      const gone = lost > 0 ? `, but ${exchanges(lost)} not kept: record again` : ': nothing is missing';
      this.#notice(`recording into ${this.#root} works again${gone}`);
    } else if (ORDER.indexOf(now) > ORDER.indexOf(before)) {
      const hint = reason instanceof PatchgateError && reason.hint ? ` (${reason.hint})` : '';
      this.#notice(`RECORDING FAILS: ${reason?.message}. ${RISK[now]}${hint}`);
    }
  }
}

/** @param why the trouble that began it */
export function notKept(root: string, count: number, why: Error | undefined): PatchgateError {
  const reason = why ? `: ${why.message}` : '';
  return new PatchgateError('cannot-write', `${exchanges(count)} not kept in ${root}${reason}`, {
    hint: 'make room on the disk or correct the permissions, then record again',
    cause: why,
  });
}

function exchanges(count: number): string {
  return count === 1 ? '1 exchange was' : `${count} exchanges were`;
}
