import { PatchgateError } from '../errors.ts';
import type { RecordName } from '../model/record.ts';
import {
  after,
  createJudging,
  GONE,
  type GuardedRequest,
  hasToken,
  type Issued,
  isInspection,
  type Judged,
  type Judging,
  type JudgingOptions,
  keepsEnvironments,
  mayBeApproved,
  mayShare,
  passes,
  unjudged,
} from './judging.ts';
import type { Lease } from './known-store.ts';
import { type HeldLock, RecordLocks } from './record-locks.ts';

interface GuardOptions extends JudgingOptions {
  /** Milliseconds that a PATCH waits for a decision before it is answered; 0: it does not. */
  hold?: number;
}

export interface Guard {
  /** How many approvals were made, and used. */
  readonly counts: { readonly given: number; readonly used: number };
  /**
   * Judges a request by what is known when it has its record's lock, at once where it can: a PATCH that may lose something for good
   * passes when those of the same record before it are over, so that no two pass on the same old state.
   *
   * One that an approval could let pass is held where that is asked for: it gives its lock back, and takes it again once it is approved.
   *
   * @param done called once, unless it is withdrawn. @param release where it has a lock: to be called when the request is over
   * @returns withdraws it, since its client is gone. False: it does not wait
   */
  judge(asked: GuardedRequest, done: (judged: Judged, release?: () => void) => void): () => boolean;
  /** Answers what is held, and holds no more: the gate stops, or another one is in force. @returns how many were held */
  endHolds(): number;
}

const NOT_WAITING = () => false;
/** Requests that are held at a time, with their bodies. Others are answered at once. */
const MOST_HELD = 100;
const MOST_HELD_BYTES = 16 * 1024 * 1024;

/** What guards by different gates have in common. */
interface Shared {
  locks: RecordLocks;
  counts: { given: number; used: number };
  /** Goes on with a request that is held, by the id of its approval. @param isDecided false: it has waited long enough */
  held: Map<string, (isDecided: boolean) => void>;
  /** Of them, and of those that are about to be held. */
  heldCount: number;
  heldBytes: number;
}

export function createGuard(options: GuardOptions): Guard {
  const held: Shared['held'] = new Map();
  options.approvals.subscribe(({ id, held: isHeld, status }) => {
    if (!isHeld || status === 'pending') return;
    // Others are told of the decision before they are told what came of it.
    queueMicrotask(() => held.get(id)?.(true));
  });
  const counts = { given: 0, used: 0 };
  return guardOf(options, { locks: new RecordLocks(), counts, held, heldCount: 0, heldBytes: 0 });
}

function guardOf(options: GuardOptions, shared: Shared): Guard {
  const { gate, mode } = options;
  const { counts, held } = shared;
  const judging = createJudging(options, counts);
  const holding = { isOver: false };
  return {
    counts,
    endHolds() {
      holding.isOver = true;
      const all = [...held.values()];
      for (const goOn of all) goOn(false);
      return all.length;
    },
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
      const turn = new Turn({ asked, name, done, options, judging, shared, holding });
      turn.wait();
      return () => turn.withdraw();
    },
  };
}

interface TurnOptions {
  asked: GuardedRequest;
  name: RecordName;
  done: Parameters<Guard['judge']>[1];
  options: GuardOptions;
  judging: Judging;
  shared: Shared;
  /** Nothing is held any more. */
  holding: { isOver: boolean };
}

/** The way of one PATCH of a guarded record: its lock, its lease, its verdict; and where it is held, all of that once more. */
class Turn {
  readonly #given: TurnOptions;
  readonly #cameAt = performance.now();
  /** The approval that it was held for. */
  #issued: Issued | undefined;
  /** What it was known by did not say so. */
  #mustBeAlone = false;
  /** Withdraws it while it waits for the lock. */
  #leave: () => boolean = NOT_WAITING;
  /** Withdraws it while it is held. */
  #unhold: (() => boolean) | undefined;

  constructor(given: TurnOptions) {
    this.#given = given;
  }

  /** @returns whether it had waited, and does not any more */
  withdraw(): boolean {
    if (this.#unhold) return this.#unhold();
    const hasLeft = this.#leave();
    if (hasLeft && this.#issued) this.#endApproval(this.#issued.id, 'withdrawn');
    return hasLeft;
  }

  wait(): void {
    const { asked, name, options, judging, shared } = this.#given;
    const { knowledge } = options;
    const whose = knowledge.isOfSession ? asked.session.id : '';
    this.#leave = shared.locks.acquire(`${name.kind} ${name.id} ${whose}`, {
      exclusive: (lock) => {
        if (knowledge.lease) void this.#lease(lock, judging.judgeWithoutToken(asked, name), true);
        else void after(this.#judge(), (judged) => this.#locked(lock, judged));
      },
      shared: (lock) => {
        // An approval is used up by being looked at.
        if (this.#mustBeAlone || this.#hasToken) return false;
        const judged = judging.judgeWithoutToken(asked, name);
        if (judging.mustConfirm(judged) || !mayShare(judged)) return false;
        if (knowledge.lease) void this.#lease(lock, judged, false);
        else this.#locked(lock, judged);
        return true;
      },
    });
  }

  get #hasToken(): boolean {
    return this.#issued !== undefined || hasToken(this.#given.asked);
  }

  #judge(): Judged | Promise<Judged> {
    const { asked, name, judging } = this.#given;
    return judging.findAndJudge(asked, name, this.#cameAt, this.#issued?.token);
  }

  /**
   * Among gates, the lease is what the lock is within one. What is known here says whether it may be shared, until the lease brings what
   * others know.
   *
   * @param isFirst nobody shares the lock yet
   */
  async #lease(lock: HeldLock, guess: Judged, isFirst: boolean): Promise<void> {
    const { asked, name, options } = this.#given;
    const isShared = !this.#mustBeAlone && !this.#hasToken && mayShare(guess);
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
    if (!this.#issued && this.#mayHold(judged)) {
      void this.#hold(judged, lock);
      return;
    }
    this.#tell(judged, () => lock.release());
    if (keepsEnvironments(judged)) lock.share();
  }

  #tell(judged: Judged, release: () => void): void {
    const { asked, name, done, judging } = this.#given;
    const issued = this.#issued;
    if (issued && !judged.isApproved)
      this.#endApproval(issued.id, judged.inspection ? 'expired' : 'withdrawn');
    void after(judging.remediate(asked, name, judged), (one) =>
      done(issued && one.approval === undefined ? { ...one, approval: issued.id } : one, release),
    );
  }

  /** Whether it waits for a yes instead of being answered. */
  #mayHold({ isDestructive, inspection, refusal }: Judged): boolean {
    const { asked, options, shared, holding } = this.#given;
    const { body } = asked.request;
    return (
      (options.hold ?? 0) > 0 &&
      isDestructive === true &&
      refusal === undefined &&
      isInspection(inspection) &&
      mayBeApproved(inspection) &&
      body !== 'too-large' &&
      !holding.isOver &&
      shared.heldCount < MOST_HELD &&
      shared.heldBytes + body.length <= MOST_HELD_BYTES
    );
  }

  /** It waits for a decision, and others of its record go on. */
  async #hold(judged: Judged, lock: HeldLock): Promise<void> {
    const { asked, name, done, options, judging, shared, holding } = this.#given;
    const size = asked.request.body.length;
    const free = () => {
      shared.heldCount--;
      shared.heldBytes -= size;
    };
    shared.heldCount++;
    shared.heldBytes += size;
    let waiting: Issued;
    try {
      waiting = (await judging.issue(asked, name, judged, options.hold)) as Issued;
    } catch (error) {
      free();
      done(unjudged(error), () => lock.release());
      return;
    }
    lock.release();
    const { id } = waiting;
    const heldAt = performance.now();
    const timer = setTimeout(() => goOn(false), options.hold).unref();
    const end = () => {
      clearTimeout(timer);
      asked.heldMs = performance.now() - heldAt;
      const wasHeld = shared.held.delete(id);
      if (wasHeld) free();
      return wasHeld;
    };
    const goOn = (isDecided: boolean) => {
      if (!end()) return;
      this.#unhold = undefined;
      if (isDecided) {
        this.#issued = waiting;
        this.wait();
      } else void answered().then(done);
    };
    const answered = () =>
      options.approvals.answered(id).then(() => judging.withRemediation(judged, waiting), unjudged);
    shared.held.set(id, goOn);
    this.#unhold = () => {
      end();
      this.#endApproval(id, 'withdrawn');
      return true;
    };
    if (holding.isOver) goOn(false);
    else if (asked.isGone()) {
      this.#unhold();
      done(GONE);
    }
  }

  /** One that cannot be ended says by its time that it is over. */
  #endApproval(id: string, status: 'withdrawn' | 'expired'): void {
    void this.#given.options.approvals.end(id, status).catch(() => undefined);
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
