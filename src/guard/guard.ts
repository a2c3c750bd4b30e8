import { PatchgateError } from '../errors.ts';
import type { RecordName } from '../model/record.ts';
import {
  after,
  createJudging,
  GONE,
  type GuardedRequest,
  hasToken,
  isInspection,
  type Judged,
  type Judging,
  type JudgingOptions,
  keepsEnvironments,
  mayShare,
  passes,
  unjudged,
} from './judging.ts';
import type { Lease } from './known-store.ts';
import { type HeldLock, RecordLocks } from './record-locks.ts';

export interface Guard {
  /** How many approvals were made, and used. */
  readonly counts: { readonly given: number; readonly used: number };
  /**
   * Judges a request by what is known when it has its record's lock, at once where it can: a PATCH that may lose something for good
   * passes when those of the same record before it are over, so that no two pass on the same old state.
   *
   * @param done called once, unless it is withdrawn. @param release where it has a lock: to be called when the request is over
   * @returns withdraws it, since its client is gone. False: it does not wait
   */
  judge(asked: GuardedRequest, done: (judged: Judged, release?: () => void) => void): () => boolean;
}

const NOT_WAITING = () => false;

export function createGuard(options: JudgingOptions): Guard {
  const { gate, mode } = options;
  const locks = new RecordLocks();
  const counts = { given: 0, used: 0 };
  const judging = createJudging(options, counts);
  return {
    counts,
    judge(asked, done) {
      const name = gate.recordOf(asked.match);
      const tell = (judged: Judged) => void after(judging.remediate(asked, name, judged), done);
      if (!name || !gate.guards(name.kind)) {
        void after(judging.judge(asked, name), tell);
        return NOT_WAITING;
      }
      if (mode === 'off') {
        const found = judging.find(asked, name, performance.now());
        void after(found, () => tell(judging.judgeWithoutToken(asked, name)));
        return NOT_WAITING;
      }
      const turn = new Turn({ asked, name, done, options, judging, locks });
      turn.wait();
      return () => turn.withdraw();
    },
  };
}

interface TurnOptions {
  asked: GuardedRequest;
  name: RecordName;
  done: Parameters<Guard['judge']>[1];
  options: JudgingOptions;
  judging: Judging;
  locks: RecordLocks;
}

/** The way of one PATCH of a guarded record: its lock, its lease, its verdict. */
class Turn {
  readonly #given: TurnOptions;
  readonly #cameAt = performance.now();
  /** What it was known by did not say so. */
  #mustBeAlone = false;
  /** Withdraws it while it waits for the lock. */
  #leave: () => boolean = NOT_WAITING;

  constructor(given: TurnOptions) {
    this.#given = given;
  }

  /** @returns whether it had waited, and does not any more */
  withdraw(): boolean {
    return this.#leave();
  }

  wait(): void {
    const { asked, name, options, judging, locks } = this.#given;
    const { knowledge } = options;
    const whose = knowledge.isOfSession ? asked.session.id : '';
    this.#leave = locks.acquire(`${name.kind} ${name.id} ${whose}`, {
      exclusive: (lock) => {
        if (knowledge.lease) void this.#lease(lock, judging.judgeWithoutToken(asked, name), true);
        else void after(this.#judge(), (judged) => this.#locked(lock, judged));
      },
      shared: (lock) => {
        // An approval is used up by being looked at.
        if (this.#mustBeAlone || hasToken(asked)) return false;
        const judged = judging.judgeWithoutToken(asked, name);
        if (judging.mustConfirm(judged) || !mayShare(judged)) return false;
        if (knowledge.lease) void this.#lease(lock, judged, false);
        else this.#locked(lock, judged);
        return true;
      },
    });
  }

  #judge(): Judged | Promise<Judged> {
    const { asked, name, judging } = this.#given;
    return judging.findAndJudge(asked, name, this.#cameAt);
  }

  /**
   * Among gates, the lease is what the lock is within one. What is known here says whether it may be shared, until the lease brings what
   * others know.
   *
   * @param isFirst nobody shares the lock yet
   */
  async #lease(lock: HeldLock, guess: Judged, isFirst: boolean): Promise<void> {
    const { asked, name, options } = this.#given;
    const isShared = !this.#mustBeAlone && !hasToken(asked) && mayShare(guess);
    const body = isInspection(guess.inspection) ? guess.inspection.json : undefined;
    let lease: Lease | undefined;
    let judged: Judged;
    try {
      lease = await options.knowledge.lease?.(name, { isShared, body, isGone: asked.isGone });
      judged = lease ? await this.#judge() : GONE;
    } catch (error) {
      judged = unjudged(error);
    }
    if (isShared && !mayShare(judged)) {
      await lease?.release();
      this.#mustBeAlone = true;
      if (isFirst) return this.#lease(lock, guess, isFirst);
      lock.release();
      return this.wait();
    }
    if (lease?.isOver && passes(judged)) judged = { inspection: tooLate() };
    // What is blocked changes nothing.
    if (!passes(judged)) void lease?.release();
    this.#locked(lease ? withLease(lock, lease) : lock, judged);
  }

  #locked(lock: HeldLock, judged: Judged): void {
    const { asked, name, done, judging } = this.#given;
    void after(judging.remediate(asked, name, judged), (one) => done(one, () => lock.release()));
    if (keepsEnvironments(judged)) lock.share();
  }
}

/** Others have the lock only after other gates may have the lease. */
function withLease(lock: HeldLock, lease: Lease): HeldLock {
  return { share: lock.share, release: () => void lease.release().then(lock.release) };
}

function tooLate(): PatchgateError {
  const message = 'the lease of the record was over before the PATCH was judged';
  return new PatchgateError('store-unavailable', message, { hint: 'send it again' });
}
