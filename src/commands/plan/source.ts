/** What is known of a project: from a state file, a database, a recording, or the service. */
import { statSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { withDatabase } from '../../app/open-database.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { type Kept, knownOf } from '../../guard/kept.ts';
import { readStateFile, stateFileFor } from '../../guard/state-file.ts';
import { type Known, type RecordName, recordKey } from '../../model/record.ts';
import { visible } from '../../reporters/wording.ts';
import type { Config } from '../../settings/config.ts';
import { STATE_BY_DEFAULT } from '../../settings/settings.ts';
import { parseTarget } from '../../upstreams/target.ts';
import { RecordedHistory } from '../recorded-history.ts';
import { exchangesOf, withRecording, withRecordings } from '../recordings/recordings.ts';

interface Asked {
  gate: Gate;
  name: RecordName;
  /** Of the project. */
  path: string;
  recording: string | undefined;
  /** Base URL of the service. */
  fromTarget: string | undefined;
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
const SEE_IT = `let a GET or a PATCH of it pass through patchgate proxy, or ${READ_IT}`;

/** @throws PatchgateError where there is not one source, or it cannot be read */
export async function readSource(
  config: Config,
  origins: Readonly<Partial<Record<string, string>>>,
  asked: Asked,
): Promise<Told> {
  const { recording, fromTarget } = asked;
  const { state = STATE_BY_DEFAULT, store } = config;
  const isStateNamed = origins.state === 'flag' && state !== '';
  const named = [
    isStateNamed && '--state',
    // A recording may be in the database, too.
    origins.store === 'flag' && recording === undefined && '--store',
    recording !== undefined && '--recording',
    fromTarget !== undefined && '--from-target',
  ].filter(Boolean);
  const refuse = (message: string, hint: string) => new PatchgateError('bad-usage', message, { hint });
  if (named.length > 1)
    throw refuse(
      `${named.join(' and ')} cannot be given together`,
      'what the project holds is known from one',
    );
  if (fromTarget !== undefined) return fromService(fromTarget, config, asked);
  if (recording !== undefined) return fromRecording(recording, config, asked);
  if (store !== undefined && !isStateNamed) return fromDatabase(config, asked);
  if (state !== '') return fromState(state, isStateNamed, config, asked);
  throw refuse('nothing says what the project holds', 'give --state, --recording, --from-target or --store');
}

/** Reads the project by one GET. */
async function fromService(url: string, config: Config, { name, path }: Asked): Promise<Told> {
  // The client takes 50 ms to load.
  const { targetReader } = await import('../../guard/reader.ts');
  const { openForward } = await import('../../upstreams/forward.ts');
  const target = parseTarget(url);
  const upstream = await openForward(target, config, process.env);
  const session = { id: 0, name: '' };
  const asker = {
    method: 'PATCH',
    url: path,
    headers: [],
    stream: new IncomingMessage(new Socket()),
    session,
  };
  const reading = await targetReader(upstream, config.timeout)(name, asker).finally(() => upstream.close());
  const { record, why = 'there is no such project', unreachable } = reading;
  if (record) return { known: { record, isWhole: true }, source: url, advice: '' };
  if (unreachable) throw unreachable;
  throw new PatchgateError('cannot-read', `GET ${target.origin}${target.path}${path}: ${why}`, {
    hint: 'is the base URL right? credentials: --set-header Authorization=env:TOKEN',
  });
}

async function fromRecording(recording: string, config: Config, { gate, name }: Asked): Promise<Told> {
  const history = new RecordedHistory(gate);
  await withRecordings(config, async (recordings) => {
    for (const exchange of await withRecording(recordings, recording, 'read', exchangesOf))
      history.add(exchange);
  });
  const advice = `record a GET of it, or ${READ_IT}`;
  return { known: history.of(name), source: `the recording ${recording}`, advice };
}

async function fromDatabase(config: Config, { name }: Asked): Promise<Told> {
  const { keptIn } = await import('../../postgres/records.ts');
  const service = serviceOf(config);
  return withDatabase(config, async (database) => {
    if (!database) throw new PatchgateError('internal', 'there is no database');
    const about = service === undefined ? '' : `, about ${service}`;
    const kept = await keptIn(database, name, service);
    return { known: knownThen(kept), source: `${database.name}${about}`, advice: SEE_IT };
  });
}

function fromState(state: string, isNamed: boolean, config: Config, { name }: Asked): Told {
  const service = serviceOf(config);
  const file = service === undefined ? state : stateFileFor(state, service);
  const kept = readStateFile(file);
  if (!kept && isNamed)
    throw new PatchgateError('bad-input', `cannot read the state ${visible(file)}: it does not exist`, {
      hint: 'check the path given with --state; patchgate proxy writes one',
    });
  if (!kept) return { known: undefined, source: `${file}, which does not exist`, advice: SEE_IT };
  const time = statSync(file, { throwIfNoEntry: false })?.mtime.toISOString().slice(0, 16).replace('T', ' ');
  const from = kept.target === undefined ? '' : `, about ${kept.target}`;
  return {
    known: knownThen(kept.records.get(recordKey(name))),
    source: `${file} (written ${time}${from})`,
    advice: SEE_IT,
  };
}

function serviceOf({ target }: Config): string | undefined {
  return target === undefined ? undefined : parseTarget(target).origin;
}

/** The last known state of a record. */
function knownThen(kept: Kept | undefined): Known | undefined {
  const known = knownOf(kept);
  return known && { record: known.record, isWhole: known.isWhole };
}
