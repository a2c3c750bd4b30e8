import { sessionText, unservedText } from '../reporters/run-text.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';
import { inOptions } from './in-options.ts';

export interface ServingChecks {
  /** Looks at once whether all was served. Whoever waits for it is told; else `finish` is. @param session of this one alone */
  begin(session?: string): PromiseLike<void>;
  /** Waits for the checks that nobody has waited for. @throws Error what the first of them found */
  finish(): Promise<void>;
}

/** @param find what was not served; undefined where there is nothing that could have been */
export function createChecks(find: (session?: string) => Promise<Unserved | undefined>): ServingChecks {
  /** Those that nobody waits for yet. */
  const unheard = new Set<Promise<void>>();

  const begin = (session?: string): PromiseLike<void> => {
    // Made here, it shows the line of the test.
    const error = new Error();
    Error.captureStackTrace(error, begin);
    const result = find(session).then((unserved) => {
      if (unserved === undefined) return;
      // Nothing can be missing there: most likely another session was meant.
      if (session !== undefined && unserved.total === 0)
        throw withMessage(error, nothingOf(session, unserved));
      if (unserved.count === 0) return;
      throw withMessage(error, inOptions(unservedText(unserved)));
    });
    // Without this, what nobody waits for yet would end the process.
    result.catch(() => undefined);
    unheard.add(result);
    return {
      // biome-ignore lint/suspicious/noThenProperty: to be waited for is what tells whether anybody does
      then(onKept, onThrown) {
        unheard.delete(result);
        return result.then(onKept, onThrown);
      },
    };
  };

  return {
    begin,
    async finish() {
      for (const result of unheard) await result;
    },
  };
}

function withMessage(error: Error, message: string): Error {
  error.message = message;
  // V8 writes the message into the stack when the error is made.
  error.stack = `${error.name}: ${message}\n${error.stack?.split('\n').slice(1).join('\n')}`;
  return error;
}

function nothingOf(session: string, { recording }: Unserved): string {
  return `nothing in "${recording}" was recorded in ${sessionText(session)}: record it anew, or ask the gate what was served in all`;
}
