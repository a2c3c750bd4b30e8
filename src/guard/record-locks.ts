/** A lock on a record that somebody has. */
export interface HeldLock {
  /** Others may share it from here on, if they want to. */
  share(): void;
  /** To be called once the change is over; more often does nothing. */
  release(): void;
}

/** Who wants to change a record. One of these is called, once the lock can be had. */
interface LockRequest {
  /** No other request has the lock. */
  exclusive(lock: HeldLock): void;
  /** Others share it. False: it does not want that, and waits until it is alone. */
  shared(lock: HeldLock): boolean;
}

interface Queue {
  holders: number;
  isShared: boolean;
  /** In the order of coming. */
  readonly waiting: Set<LockRequest>;
  /** Those that wait are being called already: without that, a long queue of short changes would be a deep stack. */
  isCalling: boolean;
  /** Wants to be alone: it is not asked again while others are there. */
  patient: LockRequest | undefined;
}

/** Shared and exclusive locks by name, in the order in which they are asked for. */
export class RecordLocks {
  readonly #queues = new Map<string, Queue>();

  /**
   * Calls the request back at once where it can.
   *
   * @returns withdraws a request that waits. False: it has the lock already
   */
  acquire(key: string, request: LockRequest): () => boolean {
    let queue = this.#queues.get(key);
    if (!queue) {
      queue = { holders: 0, isShared: false, waiting: new Set(), isCalling: false, patient: undefined };
      this.#queues.set(key, queue);
    }
    queue.waiting.add(request);
    this.#call(key, queue);
    const { waiting } = queue;
    return () => waiting.delete(request);
  }

  #call(key: string, queue: Queue): void {
    if (queue.isCalling) return;
    queue.isCalling = true;
    // Who is added while this goes on comes at the end.
    for (const next of queue.waiting) {
      if (queue.holders > 0 && (!queue.isShared || queue.patient === next)) break;
      const isFree = queue.holders === 0;
      queue.holders++;
      const lock = this.#lock(key, queue);
      if (isFree) {
        queue.isShared = false;
        queue.waiting.delete(next);
        next.exclusive(lock);
      } else if (next.shared(lock)) queue.waiting.delete(next);
      else {
        queue.holders--;
        queue.patient = next;
        break;
      }
    }
    queue.isCalling = false;
    if (queue.holders === 0) this.#queues.delete(key);
  }

  #lock(key: string, queue: Queue): HeldLock {
    let isOver = false;
    return {
      share: () => {
        if (isOver) return;
        queue.isShared = true;
        this.#call(key, queue);
      },
      release: () => {
        if (isOver) return;
        isOver = true;
        queue.holders--;
        if (queue.holders === 0) this.#call(key, queue);
      },
    };
  }
}
