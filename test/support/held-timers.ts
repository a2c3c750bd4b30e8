/** Timers of the product that go off when a test says so: a time that is short for a machine may be long for another. */
import { vi } from 'vitest';
import { cleanUpLater } from './clean-up.ts';

export interface HeldTimers {
  /** How many of them run. */
  running(): number;
  /** Calls at once what those that run would call. */
  goOff(): void;
}

/** @param ms so long that none goes off by itself, and a number of which other code in this process makes none */
export function holdTimers(ms: number): HeldTimers {
  const running = new Map<unknown, () => void>();
  const [start, stop] = [setTimeout, clearTimeout];
  const started = vi.spyOn(globalThis, 'setTimeout').mockImplementation((call, delay, ...args) => {
    const timer = start(call, delay, ...args);
    if (delay === ms) running.set(timer, () => call(...args));
    return timer;
  });
  const stopped = vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    running.delete(timer);
    stop(timer);
  });
  cleanUpLater(() => {
    started.mockRestore();
    stopped.mockRestore();
  });
  return {
    running: () => running.size,
    goOff: () => {
      for (const call of [...running.values()]) call();
    },
  };
}
