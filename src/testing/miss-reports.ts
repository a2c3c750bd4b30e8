import type { Patchgate } from '../app/patchgate.ts';
import { hintWith } from '../recordings/matching/explain-path.ts';
import { missesText } from '../reporters/run-text.ts';
import type { Missed, MissedRequest } from '../upstreams/replay/misses.ts';
import { inOptions } from './in-options.ts';

export interface MissReports {
  /** What a test asks for. @param session of this one alone */
  of(session?: string): { misses(): MissedRequest[]; assertNoMisses(): void };
  /** What is to be told of those that no test has asked for: most often its client has failed of them before it could. */
  unheard(): string | undefined;
}

export function createMissReports({ gate, recording }: { gate: Patchgate; recording: string }): MissReports {
  /** How often each had missed when somebody asked. */
  const heard = new Map<string, number>();
  const keyOf = ({ session, text }: MissedRequest) => `${session}\n${text}`;

  const textOf = ({ count, misses, isOrdered }: Missed) => {
    const again = 'PATCHGATE_RECORD=new_episodes PATCHGATE_TARGET=URL';
    const said = misses.map((miss) => ({ ...miss, hint: inOptions(hintWith(miss.hint, recording, again)) }));
    return missesText(count, said, isOrdered);
  };

  return {
    of(session) {
      const missed = () => {
        const missed = gate.misses(session);
        for (const miss of missed.misses) heard.set(keyOf(miss), miss.count);
        return missed;
      };
      const assertNoMisses = () => {
        const text = textOf(missed());
        if (text === undefined) return;
        const error = new Error(text);
        // The line that is shown is the test's.
        Error.captureStackTrace(error, assertNoMisses);
        throw error;
      };
      return { misses: () => missed().misses, assertNoMisses };
    },
    unheard() {
      const all = gate.misses();
      const misses = all.misses
        .map((miss) => ({ ...miss, count: miss.count - (heard.get(keyOf(miss)) ?? 0) }))
        .filter(({ count }) => count > 0);
      return textOf({ ...all, count: misses.reduce((sum, miss) => sum + miss.count, 0), misses });
    },
  };
}
