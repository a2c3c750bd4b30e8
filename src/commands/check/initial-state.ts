import { resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import { type Known, mayBeSame, type RecordKind, type RecordName } from '../../model/record.ts';
import { KnownState } from '../../state/known-state.ts';

export interface InitialStateOptions {
  /** Kinds of record of which bodies and answers are learnt from. */
  learn: readonly RecordKind[];
  /** Id of the workspace that `current` means. */
  account?: string | undefined;
  /** File with what is known before the first exchange, and of the records that bodies are for. */
  state?: string | undefined;
}

/** What is known before anything is judged. It is the same for each recording and body: none of them follows another. */
export class InitialState {
  readonly learn: readonly RecordKind[];
  readonly #account: string | undefined;
  readonly #records = new Map<string, { name: RecordName; known: Known }[]>();

  constructor(
    { learn, account }: InitialStateOptions,
    records: Iterable<{ name: RecordName; known: Known }>,
  ) {
    this.learn = learn;
    this.#account = account;
    for (const record of records) {
      const key = sharedKey(record.name);
      this.#records.set(key, [...(this.#records.get(key) ?? []), record]);
    }
  }

  /** The account of a record, `current` where that is what it means. */
  accountOf({ account }: RecordName): string {
    return account === this.#account ? 'current' : account;
  }

  mayBeSame(one: RecordName, other: RecordName): boolean {
    const own = (name: RecordName) => ({ ...name, account: this.accountOf(name) });
    return mayBeSame(own(one), own(other), { isExact: false, hasAccount: this.#account !== undefined });
  }

  /** Whether something is known of it, or of one that may be the same. */
  has(name: RecordName): boolean {
    return this.#records.has(sharedKey(name));
  }

  /** The state of a record, and of those that may be the same, to begin with. */
  stateOf(name: RecordName): KnownState {
    const state = new KnownState({ account: this.#account });
    for (const { name: own, known } of this.#records.get(sharedKey(name)) ?? []) state.restore(own, known);
    return state;
  }
}

/** The same for records that may be the same one, each by another account's name. */
export function sharedKey({ kind, id }: RecordName): string {
  return `${kind} ${id}`;
}

/** @throws PatchgateError `bad-input`, `cannot-read`: the state file is not there, cannot be read or has another shape */
export async function readInitialState(options: InitialStateOptions, cwd: string): Promise<InitialState> {
  if (options.state === undefined) return new InitialState(options, []);
  const { journalOf, markOf, readKept } = await import('../../guard/state-files.ts');
  const file = resolve(cwd, options.state);
  if (markOf(file, journalOf(file)) === undefined) {
    throw new PatchgateError('bad-input', `cannot read the state ${options.state}: it does not exist`, {
      hint: 'check the path given with --state, or leave it out to know only what the recordings show',
    });
  }
  return new InitialState(options, readKept(file).records.values());
}
