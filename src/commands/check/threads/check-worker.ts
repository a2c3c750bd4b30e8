import { parentPort, workerData } from 'node:worker_threads';
import { resolveConfig } from '../../../settings/config.ts';
import { COMMAND_DEFAULTS } from '../../../settings/settings.ts';
import { readBeforehand } from '../history/beforehand.ts';
import { beforehandOf, checkGate } from '../judging/judging.ts';
import { type Asker, serveJudging } from './serve-judging.ts';

/** What the command line says, from which a thread makes its own gate: rules of a config file cannot be handed over. */
export interface CheckWorkerData {
  flags: Readonly<Record<string, unknown>>;
  operation: string | undefined;
  path: string | undefined;
  againstContract: string | undefined;
}

const { flags, operation, path, againstContract } = workerData as CheckWorkerData;
const cwd = process.cwd();

serveJudging(
  parentPort as Asker,
  async () => {
    const resolved = await resolveConfig(flags, COMMAND_DEFAULTS.check);
    const { bodies } = resolved.config;
    return {
      gate: await checkGate(resolved, againstContract),
      as: { operation, path, bodies },
      beforehand: await readBeforehand(beforehandOf(resolved), cwd),
    };
  },
  cwd,
);
