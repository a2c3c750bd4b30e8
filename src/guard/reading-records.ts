import { hash } from 'node:crypto';
import { splitTarget } from '../model/http.ts';
import type { RecordKind } from '../model/record.ts';
import { HashSet } from '../recordings/hash-set.ts';
import { redactText, redactUrl } from '../recordings/redaction/redact.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';
import type { KnownState } from '../state/known-state.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Knowledge } from './knowledge.ts';
import { readRecord } from './read-record.ts';

export interface ReadingOptions {
  /** Of which records a whole one can be told. */
  kinds: readonly RecordKind[];
  /** Milliseconds that an answer's body may take; 0: for ever. */
  timeout: number;
  redaction: Redaction;
  /** Takes one notice for people. */
  notice: (text: string) => void;
}

/**
 * Finds a record of which nothing is known by reading it from the target (`--read-state`). What could not be read is told, each
 * reason once for each record, and tried again with the next PATCH.
 */
export function readingRecords(
  state: KnownState,
  target: Upstream,
  { kinds, timeout, redaction, notice }: ReadingOptions,
): NonNullable<Knowledge['find']> {
  const told = new HashSet();
  return async (name, asker) => {
    if (!kinds.includes(name.kind)) return;
    // A query may ask for a part of it.
    const learn = state.read(name, splitTarget(asker.url).query !== '');
    const reading = await readRecord(target, name, asker, timeout);
    if (!reading) return;
    if ('record' in reading) return learn(reading.record);
    const { account, kind, id } = name;
    const hashed = hash('sha1', JSON.stringify([account, kind, id, reading.why]), 'binary');
    if (told.has(hashed) || !told.add(hashed)) return;
    const shown = redactUrl(asker.url, redaction);
    notice(
      `what ${shown} holds could not be read: ${redactText(reading.why, redaction)}; so nobody can say what a PATCH of it deletes`,
    );
  };
}
