import { stat } from 'node:fs/promises';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { recordedUpdate } from '../../guard/recorded-history.ts';
import { journalOf, readKept } from '../../guard/state-files.ts';
import type { Known, RecordName } from '../../model/record.ts';
import { visible } from '../../reporters/wording.ts';
import { STATE_BY_DEFAULT } from '../../settings/settings.ts';
import { KnownState } from '../../state/known-state.ts';
import { readInOrder } from '../recordings/selection.ts';
import { ageText } from '../recordings/units.ts';
import type { TargetSettings } from './read-target.ts';

/** What says what the project holds. */
export type Source =
  /** @property mustExist it was named: that it is missing is a mistake */
  | { kind: 'state'; file: string; mustExist: boolean }
  | { kind: 'recording'; folder: string; name: string }
  | { kind: 'target'; url: string; headers: readonly string[] };

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
  if (fromTarget !== undefined) return { kind: 'target', url: fromTarget, headers };
  if (headers.length > 0) {
    throw new PatchgateError('bad-usage', '--header has no meaning without --from-target', {
      hint: 'nothing is sent where the project is not read from a service',
    });
  }
  if (recording !== undefined) return { kind: 'recording', folder: recordings, name: recording };
  if (state !== '') return { kind: 'state', file: state, mustExist: isStateFlag };
  throw new PatchgateError('bad-usage', 'nothing says what the project holds', {
    hint: 'give --state FILE, --recording NAME or --from-target URL',
  });
}

interface AskedRequest {
  name: RecordName;
  /** The path of the project. */
  path: string;
  /** The workspace that `current` means, where that is known. */
  account: string | undefined;
  gate: Gate;
  target: TargetSettings;
  /** Milliseconds since the epoch. */
  now: number;
}

/** What a source knows of a project. */
export interface Told {
  known: Known | undefined;
  /** Where from, for people. */
  source: string;
  /** What to do where that is not enough. */
  advice: string;
}

const READ_IT = 'read it from the service: --from-target URL';

/** @throws PatchgateError where the source cannot be read, or does not hold what it must */
export async function readSource(source: Source, asked: AskedRequest): Promise<Told> {
  const { name, path, account, gate, target, now } = asked;
  if (source.kind === 'target') {
    // Its client takes 50 ms to load.
    const { readTarget } = await import('./read-target.ts');
    const known = await readTarget(source.url, source.headers, name, path, target);
    return { known, source: source.url, advice: '' };
  }
  const state = new KnownState({ account });
  if (source.kind === 'recording') {
    for (const { exchange } of await readInOrder(source.folder, source.name, () => true))
      recordedUpdate(gate, ['project'], exchange)?.apply(state);
    return {
      known: state.of(name),
      source: `the recording ${source.name}`,
      advice: `record a GET of it, or ${READ_IT}`,
    };
  }
  const { file, mustExist } = source;
  const kept = readKept(file);
  // A running proxy may write both meanwhile.
  const writtenAt = Math.max(...(await Promise.all([file, journalOf(file)].map(timeOf))));
  if (writtenAt === 0 && mustExist) {
    throw new PatchgateError('bad-input', `cannot read the state ${visible(file)}: it does not exist`, {
      hint: 'check the path given with --state; patchgate proxy writes one',
    });
  }
  const advice = `let a GET or a PATCH of it pass through patchgate proxy, or ${READ_IT}`;
  if (writtenAt === 0) return { known: undefined, source: `${file}, which does not exist`, advice };
  for (const { name, known } of kept.records.values()) state.restore(name, known);
  const age = ageText(writtenAt, now);
  const from = kept.target === undefined ? '' : `, about ${kept.target}`;
  return {
    known: state.of(name),
    source: `${file} (written ${age === 'now' ? 'just now' : `${age} ago`}${from})`,
    advice,
  };
}

/** 0 where it is not there. */
async function timeOf(file: string): Promise<number> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.mtimeMs ?? 0;
}
