import { randomUUID } from 'node:crypto';
import type { Exchange } from '../../src/model/exchange.ts';
import type { Database } from '../../src/postgres/database.ts';
import { insertFrames } from '../../src/postgres/frames.ts';
import { plainOf } from './exchanges.ts';

/** Records exchanges into a database, as a gate does. */
export function recordStored(
  database: Database,
  recording: string,
  exchanges: readonly Exchange[],
): Promise<void> {
  const batch = { recording, run: randomUUID(), mode: 'append' as const, first: 0 };
  return insertFrames(database, batch, exchanges.map(plainOf));
}
