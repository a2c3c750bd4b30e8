import { KnownState } from '../state/known-state.ts';
import { StateKeeper, type StateKeeperOptions } from './kept/state-keeper.ts';

/** What is known of the service, and is known again after a restart. */
export interface KeptState {
  readonly state: KnownState;
  /** Why what is known is not in its file, for `health`. */
  readonly trouble: Error | undefined;
  /** Where another process keeps the file, learns what that has written. To be called before a PATCH is judged. Never throws. */
  follow(): void;
  /** Writes the file. Never rejects: what could not be written is told by notice. */
  close(): Promise<void>;
}

type KeptStateOptions = Omit<StateKeeperOptions, 'file' | 'onForget'> & {
  /** Undefined or `""`: in memory alone. */
  file: string | undefined;
};

/**
 * Opens the file in which it is kept what is known of the service. A change is in the journal beside it before anything else
 * happens, and outlives `kill -9`. A file that is missing is an empty one, and is made with the first change.
 *
 * @throws PatchgateError `cannot-read`; `bad-input` with file, line and column, where file or journal is broken
 */
export async function openKeptState(options: KeptStateOptions): Promise<KeptState> {
  const { file, account, target, lag, notice } = options;
  const onForget = once(() =>
    notice(
      'more is known than there is room for: what was learnt longest ago is forgotten, and is no longer guarded until it is seen again (--read-state reads it when it is needed)',
    ),
  );
  if (!file) {
    const state = new KnownState({ account, onForget, live: { lag } });
    return { state, trouble: undefined, follow: () => undefined, close: () => Promise.resolve() };
  }
  const keeper = new StateKeeper({ ...options, file, onForget });
  keeper.open();
  const { foundTarget } = keeper;
  if (target !== undefined && foundTarget !== undefined && plain(foundTarget) !== plain(target)) {
    notice(
      `${file} was learnt from ${foundTarget}, and this proxy stands in front of ${target}: PATCHes are judged by it all the same. Give each service a file of its own with --state FILE`,
    );
  }
  return keeper;
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}

function plain(url: string): string {
  return url.replace(/\/+$/, '');
}
