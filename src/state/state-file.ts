import { PatchgateError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../json/json.ts';
import { findPlace, placeAt, syntaxErrorOf } from '../json/json-text.ts';
import { pointerOf } from '../json/pointer.ts';
import { nearest } from '../model/nearest.ts';
import type { Known, RecordKind, RecordName } from '../model/record.ts';
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
        // Who edits it may leave out what nobody then knows.
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
    if (!isAccount(name.account) || !isId(name.id)) continue;
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

const SHAPE =
  '{"paths": {"/api/v2": {"current": {"projects": {"42": {…}}, "features": {}, "drafts": {}}}}}, or {"accounts": {"current": …}} for any path';

/**
 * Reads a state file's text. What the records hold is left open: a test may need a record that the service never had.
 *
 * @param file its name, for the message
 * @throws PatchgateError `bad-input` with file, line and column, where it is no JSON or has another shape
 */
export function readState(text: string, file: string): State {
  const broken = syntaxErrorOf(text);
  if (broken) {
    const { line, column } = placeAt(text, broken.offset);
    throw new PatchgateError('bad-input', `${file}:${line}:${column}: this is no JSON: ${broken.message}`, {
      hint: `the file holds ${SHAPE}`,
    });
  }
  const fail = (tokens: readonly string[], message: string, hint = `the file holds ${SHAPE}`): never => {
    const { line, column } = findPlace(text, pointerOf(tokens), 'name');
    throw new PatchgateError('bad-input', `${file}:${line}:${column}: ${message}`, { hint });
  };
  const objectAt = (value: JsonValue | undefined, tokens: readonly string[]): JsonObject => {
    const what = tokens.length === 0 ? 'the file' : `"${tokens.join('.')}"`;
    return isObject(value) ? value : fail(tokens, `${what} must be an object`);
  };

  const root = objectAt(JSON.parse(text) as JsonValue, []);
  for (const name of Object.keys(root)) {
    if (!MEMBERS.has(name)) fail([name], `unknown member "${name}"`);
  }
  if (Object.hasOwn(root, 'target') && typeof root.target !== 'string')
    fail(['target'], '"target" must be a text');
  const checkAccounts = (value: JsonValue | undefined, tokens: readonly string[]) => {
    for (const [account, kinds] of Object.entries(objectAt(value, tokens))) {
      const inAccount = [...tokens, account];
      if (!isAccount(account))
        fail(inAccount, `"${account}" names no account`, 'an account is current or the id of a workspace');
      for (const [collection, records] of Object.entries(objectAt(kinds, inAccount))) {
        const inCollection = [...inAccount, collection];
        if (!isCollection(collection)) {
          const near = nearest(collection, Object.keys(COLLECTIONS));
          fail(
            inCollection,
            `unknown member "${collection}"`,
            near ? `did you mean "${near}"?` : `an account holds ${Object.keys(COLLECTIONS).join(', ')}`,
          );
        }
        for (const [id, record] of Object.entries(objectAt(records, inCollection))) {
          if (!isId(id))
            fail([...inCollection, id], `"${id}" is no id`, 'an id is an integer, as in the path');
          objectAt(record, [...inCollection, id]);
        }
      }
    }
  };
  const paths = Object.hasOwn(root, 'paths') ? objectAt(root.paths, ['paths']) : {};
  for (const [path, accounts] of Object.entries(paths)) {
    if (!path.startsWith('/'))
      fail(['paths', path], `"${path}" is no path`, 'it begins with a slash: /api/v2');
    checkAccounts(accounts, ['paths', path]);
  }
  if (!Object.hasOwn(root, 'paths') || Object.hasOwn(root, 'accounts'))
    checkAccounts(member(root, 'accounts'), ['accounts']);
  return root as unknown as State;
}

const MEMBERS: ReadonlySet<string> = new Set(['target', 'accounts', 'paths']);

export function isAccount(text: string): boolean {
  return text === 'current' || isId(text);
}

/** Canonical decimal, as in a path: any other spelling could never be asked for. */
export function isId(text: string): boolean {
  return /^(?:0|-?[1-9]\d*)$/.test(text);
}
