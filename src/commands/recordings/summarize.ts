import { messageOf, PatchgateError } from '../../errors.ts';
import { readRuns } from '../../recordings/runs.ts';
import { checkBodies, readExchanges } from '../../recordings/store/exchange-file.ts';
import { waitingIn } from '../../recordings/store/open-store.ts';
import { changedAt, sizeOf, walk } from './walk.ts';

/** What there is to say of a recording in one line. */
export interface Summary {
  name: string;
  exchanges: number;
  /** Different ones. */
  paths: number;
  /** How many exchanges are of which operation, or of which method where the contract has no operation; by name. */
  operations: Record<string, number>;
  /** Bytes of all files, those of the tool included. */
  size: number;
  /** Of `recordedAt`, in milliseconds since the epoch; absent where there is no exchange. */
  oldest?: number;
  newest?: number;
  /** Never served in the runs since it changed; absent where nothing is known of one. */
  unused?: number;
  /** In the journal, not in their files yet. */
  waiting: number;
  /** What cannot be read, by name, line and column. */
  trouble: string[];
}

/** Troubles of one recording that are told. */
const MOST_TROUBLES = 20;

/**
 * Reads a recording, one file at a time. What is broken is told in the summary, and all else is counted.
 *
 * @throws PatchgateError `cannot-read` where a folder cannot be listed
 */
export async function summarize(
  root: string,
  name: string,
  operationOf: (method: string, path: string) => string | undefined,
): Promise<Summary> {
  const summary: Summary = { name, exchanges: 0, paths: 0, operations: {}, size: 0, waiting: 0, trouble: [] };
  const runs = await readRuns(root, changedAt(root));
  let unused = 0;
  const operations = new Map<string, number>();
  let lastPath: string | undefined;
  let troubles = 0;
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof PatchgateError)) throw error;
      if (++troubles <= MOST_TROUBLES) summary.trouble.push(messageOf(error));
    }
  };
  for (const found of walk(root)) {
    summary.size += sizeOf(found.file);
    if (found.kind !== 'exchanges') continue;
    attempt(() => {
      const exchanges = readExchanges(found.file, found.place) ?? [];
      const request = exchanges[0]?.request;
      if (!request) return;
      summary.exchanges += exchanges.length;
      const operation = operationOf(request.method, request.path) ?? request.method;
      operations.set(operation, (operations.get(operation) ?? 0) + exchanges.length);
      // Those of one path stand in one folder.
      if (request.path !== lastPath) summary.paths++;
      lastPath = request.path;
      for (const { meta } of exchanges) {
        const time = Date.parse(meta.recordedAt);
        summary.oldest = Math.min(summary.oldest ?? time, time);
        summary.newest = Math.max(summary.newest ?? time, time);
      }
      if (runs) unused += exchanges.filter(runs.isUnused).length;
      checkBodies(found.file, exchanges);
    });
  }
  attempt(() => {
    summary.waiting = waitingIn(root).length;
  });
  if (troubles > MOST_TROUBLES) summary.trouble.push(`and ${troubles - MOST_TROUBLES} more`);
  summary.operations = Object.fromEntries([...operations].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...summary, ...(runs && !runs.isCut && { unused }) };
}
