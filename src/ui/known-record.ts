import type { JsonObject } from '../json/json.ts';
import type { State } from '../state/state-file.ts';

/** What is known of a record: as `GET state` has it. */
export interface KnownRecord {
  record: JsonObject;
  /** The service may hold more than that. */
  isPart: boolean;
}

const RECORD_PATH = /^(.*)\/accounts\/([^/]+)\/(projects|features|drafts)\/([^/]+)\/?$/;

/** The record that a request's path names; undefined where nothing is known of it. */
export function knownRecord({ accounts = {}, paths = {} }: State, url: string): KnownRecord | undefined {
  const [path = ''] = url.split('?', 1);
  const [, base = '', account = '', collection, id = ''] = RECORD_PATH.exec(path) ?? [];
  // The gate puts the path of its target's URL before the request's.
  const below = Object.entries(paths)
    .filter(([known]) => known === (base || '/') || known.endsWith(base))
    .map(([, found]) => found);
  for (const found of [...below, accounts]) {
    const stored = found[account]?.[collection as 'projects']?.[id];
    if (!stored) continue;
    const { incomplete, ...record } = stored;
    return { record, isPart: incomplete === true };
  }
  return undefined;
}
