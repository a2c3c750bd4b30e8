import { hash } from 'node:crypto';
import { splitTarget } from '../http/http.ts';
import { setLatest } from '../model/latest.ts';
import type { RecordKind } from '../model/record.ts';
import { redactText, redactUrl } from '../recordings/redaction/redact.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';
import type { KnownState } from '../state/known-state.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { clientOf } from './client.ts';
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

/** Readings of which it is remembered when they were over. */
const MOST_READ = 1000;

/**
 * Reads a record from the target with the headers of a PATCH of it, and learns what it holds and what is gone. One reading serves
 * all PATCHes of a client that came before it was over. What could not be read is told, each reason once for each record, and
 * tried again with the next PATCH.
 */
export function readingRecords(
  state: KnownState,
  target: Upstream,
  { kinds, timeout, redaction, notice }: ReadingOptions,
): NonNullable<Knowledge['confirm']> {
  const told = new Set<string>();
  /** When the last reading was over, by client and URL; the oldest is the first. */
  const readAt = new Map<string, number>();
  return async (name, asker) => {
    if (!kinds.includes(name.kind)) return;
    const by = clientOf(asker.headers);
    const key = `${by} ${asker.url}`;
    if ((readAt.get(key) ?? Number.NEGATIVE_INFINITY) >= asker.cameAt) return;
    // A query may ask for a part of it.
    const learn = state.confirm(name, by, splitTarget(asker.url).query !== '');
    const reading = await readRecord(target, name, asker, timeout);
    if (!reading) return;
    setLatest(readAt, key, performance.now(), MOST_READ);
    if ('shown' in reading) return learn(reading.shown);
    const { account, kind, id } = name;
    const hashed = hash('sha1', JSON.stringify([account, kind, id, reading.why]), 'binary');
    if (told.has(hashed)) return;
    told.add(hashed);
    const shown = redactUrl(asker.url, redaction);
    notice(
      `what ${shown} holds could not be read: ${redactText(reading.why, redaction)}; so nobody can say for sure what a PATCH of it deletes`,
    );
  };
}
