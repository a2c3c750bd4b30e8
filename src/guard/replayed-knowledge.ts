import { splitTarget } from '../http/http.ts';
import type { RecordKind, RecordName } from '../model/record.ts';
import { redactPath } from '../recordings/redaction/redact.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';
import type { RecordingStore } from '../recordings/store/recording-store.ts';
import { KnownState } from '../state/known-state.ts';
import type { Session } from '../upstreams/session.ts';
import type { Asker, Knowledge, Learner } from './knowledge.ts';
import { earliestState } from './recorded-state.ts';

export interface ReplayedOptions {
  /** That of the recording: its paths are redacted. */
  redaction: Redaction;
  /** Id of the workspace that `current` means, where that is known. */
  account?: string | undefined;
  /** Of which records there is something to learn. */
  kinds: readonly RecordKind[];
}

interface SessionKnowledge {
  state: KnownState;
  /** Records of which the recording was asked. */
  asked: Set<string>;
}

/**
 * What is known of the records that a recording plays, in each session by itself: what was served in it, and of a record of
 * which nothing was yet, what the recording knows of it first, of that session before others. So a sequence that is replayed
 * from its beginning meets what it met when it was recorded.
 *
 * The recording is asked once for each record of a session: what was served since then is the later word.
 */
export function replayedKnowledge(
  store: RecordingStore,
  { redaction, account, kinds }: ReplayedOptions,
): Knowledge & { learner: Learner } {
  const sessions = new Map<number, SessionKnowledge>();

  const inSession = ({ id }: Session): SessionKnowledge => {
    let own = sessions.get(id);
    if (!own) {
      own = { state: new KnownState({ account, most: Number.POSITIVE_INFINITY }), asked: new Set() };
      sessions.set(id, own);
    }
    return own;
  };

  const look = (name: RecordName, { url, session }: Asker, state: KnownState): void => {
    try {
      const paths = pathsOf(name, url, account).map((path) => redactPath(path, redaction));
      const known = earliestState(store, name, session.name, paths);
      // Something may have been served before.
      if (known && !state.of(name)) state.restore(name, known);
    } catch {
      // The replay of this very path says what is wrong with the recording.
    }
  };

  return {
    isOfSession: true,
    of: (name, { id }) => sessions.get(id)?.state.of(name),
    find(name: RecordName, asker: Asker) {
      if (!kinds.includes(name.kind)) return;
      const { state, asked } = inSession(asker.session);
      // No segment of a path holds a slash.
      const key = `${name.account}/${name.kind}/${name.id}`;
      if (asked.has(key)) return;
      asked.add(key);
      look(name, asker, state);
    },
    learner: {
      stateOf: (session) => inSession(session).state,
      kinds,
      counts: () => true,
      areAnswersKept: true,
    },
    end: ({ id }) => void sessions.delete(id),
  };
}

/** The record's path, and where its account has another name, the path under that. */
function pathsOf({ account }: RecordName, url: string, workspace: string | undefined): string[] {
  const { path } = splitTarget(url);
  const other = account === 'current' ? workspace : account === workspace ? 'current' : undefined;
  // The id, which may be the same number, is the last part.
  const at = path.replace(/\/$/, '').lastIndexOf(`/${account}/`);
  if (other === undefined || at < 0) return [path];
  return [path, `${path.slice(0, at)}/${other}${path.slice(at + 1 + account.length)}`];
}
