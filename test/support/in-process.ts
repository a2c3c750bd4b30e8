/** The gate as `patchgate proxy` runs it, in this process: what it says to people can be read. */
import { join } from 'node:path';
import type { ServerKind } from '../../src/app/modes.ts';
import { createPatchgate, type Patchgate } from '../../src/app/patchgate.ts';
import { type Config, resolveConfig } from '../../src/settings/config.ts';
import { COMMAND_DEFAULTS } from '../../src/settings/settings.ts';
import { cleanUpLater } from './clean-up.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** As they are written, where that is not how they are read. */
export type Settings = Omit<Partial<Config>, 'fault'> & {
  fault?: Config['fault'] | readonly string[];
  config?: string;
};

export interface InProcess {
  url: string;
  port: number;
  gate: Patchgate;
  notices: string[];
  /** The access log, where `log` is not `off`, as it is here unless it is given. */
  log: string[];
}

/**
 * Listens on a free port. The environment and the folder that the tests run in say nothing.
 *
 * @param env what says whether CI is set
 * @param clientTimeout milliseconds, in the place of a minute
 */
export async function startGate(
  settings: Settings,
  kind: ServerKind = 'proxy',
  env: NodeJS.ProcessEnv = {},
  clientTimeout?: number,
): Promise<InProcess> {
  // Most targets of the tests show no records.
  const flags = { port: 0, log: 'off', readState: false, ...settings };
  const { config } = await resolveConfig(
    flags,
    { guard: COMMAND_DEFAULTS[kind].guard },
    {},
    temporaryFolder(),
  );
  const notices: string[] = [];
  const log: string[] = [];
  const gate = await createPatchgate(kind, config, {
    writeLog: (text) => log.push(text),
    notice: (text) => notices.push(text),
    env,
    ...(clientTimeout !== undefined && { clientTimeout }),
  });
  cleanUpLater(() => gate.close());
  const { url } = gate;
  return { url, port: Number(new URL(url).port), gate, notices, log };
}

/** As `patchgate proxy <target> --record` in a folder. All is in the files once it is closed. */
export function startRecorder(cwd: string, target: string, settings: Settings = {}): Promise<InProcess> {
  return startGate({ target, record: 'all', recordings: join(cwd, 'recordings'), ...settings });
}

/** As `patchgate replay` in a folder. */
export function startReplay(cwd: string, settings: Settings = {}): Promise<InProcess> {
  return startGate({ recordings: join(cwd, 'recordings'), ...settings }, 'replay');
}
