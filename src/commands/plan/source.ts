import { PatchgateError } from '../../errors.ts';
import type { Known } from '../../model/record.ts';
import { STATE_BY_DEFAULT } from '../../settings/settings.ts';

/** What says what the project holds. */
export type Source =
  /** @property mustExist it was named: that it is missing is a mistake */
  | { kind: 'state'; file: string; mustExist: boolean }
  | { kind: 'recording'; folder: string; name: string }
  | { kind: 'target'; url: string; headers: readonly string[] };

/** What it said. */
export interface Told {
  known: Known | undefined;
  /** Where from, for people. */
  source: string;
  /** What to do where that is not enough. */
  advice: string;
}

export interface Given {
  /** `""`: there is to be none. */
  state: string | undefined;
  isStateFlag: boolean;
  recording: string | undefined;
  recordings: string;
  fromTarget: string | undefined;
  headers: readonly string[];
}

/** @throws PatchgateError `bad-usage` where there is not one, or more than one */
export function sourceOf(given: Given): Source {
  const { state = STATE_BY_DEFAULT, isStateFlag, recording, recordings, fromTarget, headers } = given;
  const named = [
    isStateFlag && state !== '' ? '--state' : undefined,
    recording === undefined ? undefined : '--recording',
    fromTarget === undefined ? undefined : '--from-target',
  ].filter((flag) => flag !== undefined);
  if (named.length > 1) {
    throw new PatchgateError('bad-usage', `${named.join(' and ')} cannot be given together`, {
      hint: 'what the project holds is known from one of them',
    });
  }
  if (fromTarget === undefined && headers.length > 0) {
    throw new PatchgateError('bad-usage', '--header has no meaning without --from-target', {
      hint: 'nothing is sent where the project is not read from a service',
    });
  }
  if (fromTarget !== undefined) return { kind: 'target', url: fromTarget, headers };
  if (recording !== undefined) return { kind: 'recording', folder: recordings, name: recording };
  if (state !== '') return { kind: 'state', file: state, mustExist: isStateFlag };
  throw new PatchgateError('bad-usage', 'nothing says what the project holds', {
    hint: 'give --state FILE, --recording NAME or --from-target URL',
  });
}
