/** Where the knowledge of a project comes from: a state file, a database, a recording, or the service. */
import { stat } from 'node:fs/promises';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { type Kept, knownOf } from '../../guard/kept.ts';
import { readStateFile, stateFileFor } from '../../guard/state-file.ts';
import { type Known, type RecordName, recordKey } from '../../model/record.ts';
import type { Database } from '../../postgres/database.ts';
import { DEFAULT_RULES } from '../../recordings/match-rules.ts';
import { visible } from '../../reporters/wording.ts';
import { STATE_BY_DEFAULT } from '../../settings/settings.ts';
import type { TargetSettings } from '../../upstreams/open-forward.ts';
import { RecordedHistory } from '../recorded-history.ts';
import { exchangesOf, recordingsOf, withRecording } from '../recordings/recordings.ts';
import { ageText } from '../recordings/units.ts';

/** What says what the project holds. */
export type Source =
  /** @property mustExist it was named: that it is missing is a mistake */
  | { kind: 'state'; file: string; mustExist: boolean }
  | { kind: 'store' }
  | { kind: 'recording'; folder: string; name: string }
  | { kind: 'target'; url: string; headers: readonly string[] };

export interface Given {
  /** `""`: there is to be none. */
  state: string | undefined;
  isStateFlag: boolean;
  /** Gates share what they know in a database. */
  hasStore: boolean;
  isStoreFlag: boolean;
  recording: string | undefined;
  recordings: string;
  fromTarget: string | undefined;
  headers: readonly string[];
}

/** @throws PatchgateError `bad-usage` where there is not one, or more than one */
export function sourceOf(given: Given): Source {
  const { state = STATE_BY_DEFAULT, isStateFlag, recording, recordings, fromTarget, headers } = given;
  // A recording may be in the database, too.
  const isStoreNamed = given.isStoreFlag && recording === undefined;
  const named = [
    isStateFlag && state !== '' ? '--state' : undefined,
    isStoreNamed ? '--store' : undefined,
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
  if (given.hasStore && (!isStateFlag || state === '')) return { kind: 'store' };
  if (state !== '') return { kind: 'state', file: state, mustExist: isStateFlag };
  throw new PatchgateError('bad-usage', 'nothing says what the project holds', {
    hint: 'give --state FILE, --recording NAME, --from-target URL or --store URL',
  });
}

interface AskedRequest {
  name: RecordName;
  /** The path of the project. */
  path: string;
  gate: Gate;
  target: TargetSettings;
  database: Database | undefined;
  service: string | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/** What a source knows of a project. */
interface Told {
  known: Known | undefined;
  /** Where from, for people. */
  source: string;
  /** What to do where that is not enough. */
  advice: string;
}

const READ_IT = 'read it from the service: --from-target URL';

/** @throws PatchgateError where the source cannot be read, or does not hold what it must */
export async function readSource(source: Source, asked: AskedRequest): Promise<Told> {
  const { name, path, gate, target, database, service, now } = asked;
  if (source.kind === 'target') {
    // Its client takes 50 ms to load.
    const { readTarget } = await import('./read-target.ts');
    const known = await readTarget(source.url, source.headers, name, path, target);
    return { known, source: source.url, advice: '' };
  }
  if (source.kind === 'recording') {
    const history = new RecordedHistory(gate);
    const recordings = recordingsOf(source.folder, DEFAULT_RULES, database);
    for (const { exchange } of await withRecording(recordings, source.name, 'read', exchangesOf))
      history.add(exchange);
    return {
      known: history.of(name),
      source: `the recording ${source.name}`,
      advice: `record a GET of it, or ${READ_IT}`,
    };
  }
  const advice = `let a GET or a PATCH of it pass through patchgate proxy, or ${READ_IT}`;
  if (source.kind === 'store') {
    const { keptIn } = await import('../../postgres/records.ts');
    const kept = await keptIn(database as Database, name, service);
    const about = service === undefined ? '' : `, about ${service}`;
    return { known: knownThen(kept), source: `${(database as Database).name}${about}`, advice };
  }
  const file = service === undefined ? source.file : stateFileFor(source.file, service);
  const kept = readStateFile(file);
  if (!kept && source.mustExist) {
    throw new PatchgateError('bad-input', `cannot read the state ${visible(file)}: it does not exist`, {
      hint: 'check the path given with --state; patchgate proxy writes one',
    });
  }
  if (!kept) return { known: undefined, source: `${file}, which does not exist`, advice };
  const age = ageText(now - (await timeOf(file)));
  const from = kept.target === undefined ? '' : `, about ${kept.target}`;
  return {
    known: knownThen(kept.records.get(recordKey(name))),
    source: `${file} (written ${age} ago${from})`,
    advice,
  };
}

/** The last known state of a record. */
function knownThen(kept: Kept | undefined): Known | undefined {
  const known = knownOf(kept);
  return known && { record: known.record, isWhole: known.isWhole };
}

/** 0 where it is not there. */
async function timeOf(file: string): Promise<number> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.mtimeMs ?? 0;
}
