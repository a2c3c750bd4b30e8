import { dirname } from 'node:path';
import type { Patchgate } from '../../app/patchgate.ts';
import { messageOf, PatchgateError } from '../../errors.ts';
import { DEFAULT_CONTRACT, type Resolved } from '../../settings/config.ts';
import { hasTerminal, say } from '../output.ts';
import { FileWatcher } from './watch-files.ts';

/**
 * Has a server load its config and contract anew: on SIGHUP, where no terminal sends it because it is closed; and where a file of them
 * changes, if that is asked for.
 *
 * @param first what the server starts with
 * @param resolveAnew reads it again
 * @param heeded the settings that the server goes by
 * @throws PatchgateError `bad-usage` where there is nothing to watch
 */
export function createReloader(
  first: Resolved,
  resolveAnew: () => Promise<Resolved>,
  heeded: readonly string[],
) {
  const { watch } = first.config;
  if (watch && pathsOf(first).length === 0)
    throw new PatchgateError('bad-usage', '--watch: there is no config file, and no contract of your own', {
      hint: 'name what is to be watched with --config or --contract, or leave --watch out',
    });
  let gate: Patchgate | undefined;
  /** Asked for, and not begun yet: what is asked for meanwhile is the same. */
  let isAsked = false;
  const reload = () => {
    if (isAsked) return;
    isAsked = true;
    if (gate) void begin(gate);
  };
  const watcher = watch ? new FileWatcher(reload, notWatched) : undefined;
  const begin = (gate: Patchgate) =>
    gate.reload(async () => {
      isAsked = false;
      const resolved = await resolveAnew();
      watcher?.follow(pathsOf(resolved));
      return resolved.config;
    }, heeded);
  // From here on: a start that is half done would be ended by it.
  const hangUp = () => {
    gate?.reopen();
    reload();
  };
  if (!hasTerminal()) process.on('SIGHUP', hangUp);
  watcher?.follow(pathsOf(first));
  return {
    /** The server runs. */
    start(running: Patchgate) {
      gate = running;
      if (isAsked) void begin(gate);
    },
    close() {
      process.off('SIGHUP', hangUp);
      watcher?.close();
    },
  };
}

/** The config file, and the contract, unless it is ours. */
function pathsOf({ file, config }: Resolved): string[] {
  const { contract } = config;
  const isFile = contract.endsWith('.json');
  return [
    ...(file ? [file.file] : []),
    ...(contract === DEFAULT_CONTRACT ? [] : [isFile ? dirname(contract) : contract]),
  ];
}

function notWatched(folder: string, error: unknown): void {
  say(`cannot watch ${folder}: ${messageOf(error)}`);
}
