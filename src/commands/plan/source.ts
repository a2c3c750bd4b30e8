/** Finds a project as the service, a database or a state file knows it. */
import { statSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { withDatabase } from '../../app/modes.ts';
import { PatchgateError } from '../../errors.ts';
import { knownOf } from '../../guard/kept.ts';
import { readStateFile, stateFileFor } from '../../guard/state-file.ts';
import { type Known, type RecordName, recordKey } from '../../model/record.ts';
import { visible } from '../../reporters/wording.ts';
import type { Config } from '../../settings/config.ts';
import { STATE_BY_DEFAULT } from '../../settings/settings.ts';
import { parseTarget } from '../../upstreams/target.ts';

interface Asked {
  name: RecordName;
  /** Of the project. */
  path: string;
  /** Base URL of the service. */
  fromTarget: string | undefined;
}

/** What a source knows of a project. */
interface Told {
  known: Known | undefined;
  /** Where from, for people. */
  source: string;
  /** What to do if that is not enough. */
  advice: string;
}

const SEE_IT =
  'let a GET or a PATCH of it pass through patchgate proxy, or read it from the service: --from-target URL';

/** Flags come before settings. @throws PatchgateError if the source cannot be read */
export function readSource(config: Config, isStateNamed: boolean, asked: Asked): Told | Promise<Told> {
  if (asked.fromTarget !== undefined) return fromService(asked.fromTarget, config, asked);
  if (config.store !== undefined && !isStateNamed) return fromDatabase(config, asked);
  return fromState(config, isStateNamed, asked);
}

/** Reads the project by one GET. */
async function fromService(url: string, config: Config, { name, path }: Asked): Promise<Told> {
  // The client takes 50 ms to load.
  const { targetReader } = await import('../../guard/reader.ts');
  const { openForward } = await import('../../upstreams/forward.ts');
  const target = parseTarget(url);
  const upstream = await openForward(target, config, process.env);
  const stream = new IncomingMessage(new Socket());
  const asker = { method: 'PATCH', url: path, headers: [], stream, session: { id: 0, name: '' } };
  const reading = await targetReader(upstream, config.timeout)(name, asker).finally(() => upstream.close());
  const { record, why = 'there is no such project', unreachable } = reading;
  if (record) return { known: { record, isWhole: true }, source: url, advice: '' };
  if (unreachable) throw unreachable;
  throw new PatchgateError('cannot-read', `GET ${target.origin}${target.path}${path}: ${why}`, {
    hint: 'is the base URL right? credentials: --set-header Authorization=env:TOKEN',
  });
}

function fromDatabase(config: Config, { name }: Asked): Promise<Told> {
  return withDatabase(config, async (database) => {
    if (!database) throw new PatchgateError('internal', 'there is no database');
    const { keptIn } = await import('../../postgres/records.ts');
    const kept = await keptIn(database, name, serviceOf(config));
    return { known: knownOf(kept), source: database.name, advice: SEE_IT };
  });
}

function fromState(config: Config, isNamed: boolean, { name }: Asked): Told {
  const { state = STATE_BY_DEFAULT } = config;
  const service = serviceOf(config);
  const file = service === undefined ? state : stateFileFor(state, service);
  const kept = readStateFile(file);
  if (kept) {
    const time = statSync(file).mtime.toISOString().slice(0, 16).replace('T', ' ');
    const from = kept.target === undefined ? '' : `, about ${kept.target}`;
    const source = `${file} (written ${time}${from})`;
    return { known: knownOf(kept.records.get(recordKey(name))), source, advice: SEE_IT };
  }
  if (!isNamed) return { known: undefined, source: `${file}, which does not exist`, advice: SEE_IT };
  throw new PatchgateError('bad-input', `cannot read the state ${visible(file)}: it does not exist`, {
    hint: 'check the path given with --state; patchgate proxy writes one',
  });
}

function serviceOf({ target }: Config): string | undefined {
  return target === undefined ? undefined : parseTarget(target).origin;
}
