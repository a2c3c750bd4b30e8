import type { Kind } from '../compose-upstream.ts';
import { resolveConfig } from '../config.ts';
import type { UserConfig } from '../define-config.ts';
import { createPatchgate } from '../patchgate.ts';
import { COMMAND_DEFAULTS } from '../settings.ts';
import type { TestGate } from './test-gate.ts';

/** As in a config file; they stand above the environment and the config file. */
export interface TestGateOptions extends UserConfig {}

/** Starts a gate that answers from a recording. */
export function replay(options: TestGateOptions = {}): Promise<TestGate> {
  return start('replay', options);
}

/** Starts a gate in front of a fake of the service. */
export function fake(options: TestGateOptions = {}): Promise<TestGate> {
  return start('fake', options);
}

/** Starts a gate in front of a service. */
export function proxy(options: TestGateOptions = {}): Promise<TestGate> {
  return start('proxy', options);
}

async function start(kind: Kind, options: TestGateOptions): Promise<TestGate> {
  const { config } = await resolveConfig({ port: 0, log: 'off', ...options }, COMMAND_DEFAULTS[kind]);
  const gate = await createPatchgate(kind, config, {
    writeLog: (text) => process.stdout.write(text),
    notice: (text) => process.stderr.write(`patchgate: ${text}\n`),
    env: process.env,
  });
  const { url } = await gate.listen();
  const close = () => gate.close();
  return {
    url,
    exchanges: (filter) => [...gate.exchanges(filter)].reverse(),
    async assertAllServed() {
      const unserved = await gate.unserved();
      if (unserved?.count) throw new Error(`${unserved.count} exchanges were never served`);
    },
    reset: (session) => gate.reset(session),
    close,
    [Symbol.asyncDispose]: close,
  };
}
