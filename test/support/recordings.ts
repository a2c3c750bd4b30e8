/** Recordings on disk, for commands that read them. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { withoutHeaders } from '../../src/http/http.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import type { StoredExchange } from '../../src/recordings/exchange-index.ts';
import { toStoredMessage } from '../../src/recordings/plain-exchange.ts';
import { openStore, type RecordingStore } from '../../src/recordings/store.ts';
import { PROJECT_PATH, plainOf } from './exchanges.ts';

/** Records exchanges, in their order. */
export async function recordAll(folder: string, name: string, exchanges: readonly Exchange[]): Promise<void> {
  const store = await openStore(folder, name, { mode: 'append' });
  for (const exchange of exchanges) store.append(plainOf(exchange));
  await store.close();
}

/** What a store has for a method and path. */
export function find(store: RecordingStore, method = 'PATCH', path = PROJECT_PATH): Exchange[] {
  return store.exchanges(method, path).all.map(exchangeOf);
}

/** A stored exchange with the answer that it gives. */
export function exchangeOf(stored: StoredExchange): Exchange {
  const { status, headers, body } = stored.answer();
  const kept = withoutHeaders(headers, (name) => name === 'content-length');
  const response = toStoredMessage({ status, headers: [...kept], body });
  return { request: stored.request, response, meta: stored.meta };
}

/** Ends the turn of the event loop: what was appended is in the journal then. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Text of each file below a folder, by its path there. */
export function filesBelow(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile()).sort();
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}

/** The same without what the tool keeps beside the exchanges, for itself. */
export function exchangeFilesBelow(folder: string): Record<string, string> {
  const all = Object.entries(filesBelow(folder));
  return Object.fromEntries(all.filter(([name]) => !name.split(sep).includes('.patchgate')));
}
