import type { JsonObject } from '../json/json.ts';
import type { KeptApproval } from '../model/approval.ts';
import type { Known, RecordKind, RecordName } from '../model/record.ts';
import { checkFile, parseFile } from '../schemas/check.ts';
import { hasReadableEnvironments } from './records.ts';

/** The parts of a path and of a state file that hold records, and what kind of record each holds. */
export const COLLECTIONS = {
  projects: 'project',
  features: 'feature',
  drafts: 'draft',
} as const satisfies Record<string, RecordKind>;

export type Collection = keyof typeof COLLECTIONS;

const COLLECTION_OF: Readonly<Record<RecordKind, Collection>> = {
  project: 'projects',
  feature: 'features',
  draft: 'drafts',
};

export function isCollection(name: string): name is Collection {
  return Object.hasOwn(COLLECTIONS, name);
}

/** Records of one kind by id, as the service would show each. */
type RecordsById = Record<string, JsonObject>;

type Accounts = Record<string, Partial<Record<Collection, RecordsById>>>;

/**
 * What a service holds, by the path before it (`/`: none), account (`current` or a workspace's id), kind and id:
 * `{"paths": {"/api/v2": {"current": {"projects": {"42": {"name": …, "languages": […], "environments": […]}}}}}}`.
 * Without the path, in `accounts`: of any path.
 */
export interface State {
  /** URL of the service that it was learnt from. */
  target?: string;
  accounts?: Accounts;
  paths?: Record<string, Accounts>;
  /** What waits for a yes, or had it, by id. */
  approvals?: Record<string, KeptApproval>;
}

/** In a record of a state file: the service may hold more than what stands here. */
const INCOMPLETE = 'incomplete';

/** The records of a state, one by one. */
export function* recordsOf({
  accounts = {},
  paths = {},
}: State): Generator<{ name: RecordName; known: Known }> {
  yield* recordsBelow(undefined, accounts);
  for (const [path, below] of Object.entries(paths)) yield* recordsBelow(path === '/' ? '' : path, below);
}

function* recordsBelow(
  base: string | undefined,
  accounts: Accounts,
): Generator<{ name: RecordName; known: Known }> {
  for (const [account, collections] of Object.entries(accounts)) {
    for (const [collection, records] of Object.entries(collections)) {
      const kind = COLLECTIONS[collection as Collection];
      for (const [id, stored] of Object.entries(records)) {
        const { [INCOMPLETE]: incomplete, ...record } = stored;
        // An edit may leave out what is not known then.
        const isReadable = kind !== 'project' || hasReadableEnvironments(record);
        const name = { ...(base !== undefined && { base }), account, kind, id };
        yield { name, known: { record, isWhole: incomplete !== true && isReadable } };
      }
    }
  }
}

/**
 * The state that holds these records; the inverse of `recordsOf`. What has a name that `readState` does not take is left out:
 * a contract of one's own may have other ids.
 */
export function stateOf(records: Iterable<{ name: RecordName; known: Known }>, target?: string): State {
  const unnamed: Accounts = {};
  const paths: Record<string, Accounts> = {};
  for (const { name, known } of records) {
    if (!isAccount(name.account) || !isRecordId(name.id)) continue;
    const path = name.base === '' ? '/' : name.base;
    if (path !== undefined) paths[path] ??= {};
    const accounts = path === undefined ? unnamed : (paths[path] as Accounts);
    accounts[name.account] ??= {};
    const account = accounts[name.account] as Partial<Record<Collection, RecordsById>>;
    const collection = COLLECTION_OF[name.kind];
    account[collection] ??= {};
    const record = known.isWhole ? known.record : { ...known.record, [INCOMPLETE]: true };
    (account[collection] as RecordsById)[name.id] = record;
  }
  return {
    ...(target !== undefined && { target }),
    ...(Object.keys(unnamed).length > 0 && { accounts: unnamed }),
    paths,
  };
}

/**
 * Reads a state file's text. What the records hold is left open: a test may need a record that the service never had.
 *
 * @param where its name, for the message
 * @throws PatchgateError `bad-input` with file, line and column, where it is no JSON or has another shape
 */
export function readState(text: string, where: string): State {
  const content = parseFile({ where, text }, 'bad-input');
  checkFile('state', content, { where, text }, 'bad-input');
  return content as unknown as State;
}

export function isAccount(text: string): boolean {
  return text === 'current' || isRecordId(text);
}

/** Canonical decimal, as in a path: any other spelling could never be asked for. */
export function isRecordId(text: string): boolean {
  return /^(?:0|-?[1-9]\d*)$/.test(text);
}
