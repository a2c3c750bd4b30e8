import type { Exchange } from '../../model/exchange.ts';
import type { StoredExchange } from '../../recordings/store/stored-exchange.ts';

/** Why a recorded exchange is never an answer: the target failed, its body was not kept, or it is too old. */
export type Unanswerable = 'failure' | 'omitted' | 'stale';

export interface Answering {
  /** Fail as the target did. */
  replayFailures?: boolean | undefined;
  /** Milliseconds from which an exchange is stale; undefined: none is. */
  maxAge?: number | undefined;
  onStale?: 'warn' | 'refuse' | undefined;
}

/** @returns undefined where it can be an answer */
export function whyUnanswerable(
  stored: StoredExchange,
  { replayFailures = false, maxAge, onStale = 'warn' }: Answering,
): Unanswerable | undefined {
  if (stored.isFailure) {
    if (!replayFailures) return 'failure';
  } else if (!stored.answer) {
    const { response } = stored.exchange;
    if (!response) return 'failure';
    if (response.body && 'omitted' in response.body) return 'omitted';
  }
  return maxAge !== undefined && onStale === 'refuse' && ageOf(stored) > maxAge ? 'stale' : undefined;
}

/** Milliseconds since it was recorded. Less than 0 where another clock is ahead of ours: that is not old. */
export function ageOf({ meta }: Pick<Exchange, 'meta'>): number {
  return Date.now() - Date.parse(meta.recordedAt);
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** In whole units of the largest that fits: `45d`, `3h`. What is shorter than a second: `0s`. */
export function ageText(milliseconds: number): string {
  const [unit, length] = UNITS.find(([, least]) => milliseconds >= least) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(milliseconds / length))}${unit}`;
}
