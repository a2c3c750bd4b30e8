/** What a program of one's own may use. */
import { gateOf } from './app/gate.ts';
import type { ServerKind } from './app/modes.ts';
import { createPatchgate, type Patchgate } from './app/patchgate.ts';
import { PatchgateError } from './errors.ts';
import type { Gate } from './gate/gate.ts';
import { resolveConfig } from './settings/config.ts';
import type { UserConfig } from './settings/define-config.ts';
import { COMMAND_DEFAULTS } from './settings/settings.ts';

export type { ServerKind as Kind } from './app/modes.ts';
export type { Patchgate } from './app/patchgate.ts';
export { PatchgateError } from './errors.ts';
export type { Gate, GateRequest, Inspection } from './gate/gate.ts';
export type { Effect } from './model/effect.ts';
export type { Finding, Verdict } from './model/finding.ts';
export type { Known } from './model/record.ts';
export type { Config } from './settings/config.ts';
export { defineConfig, type UserConfig } from './settings/define-config.ts';
export type { Unserved, UnservedExchange } from './upstreams/replay/unserved.ts';

/**
 * The gate as the commands run it, for a program of one's own.
 *
 * @param settings as in a config file (but paths start from the working folder); they stand above the environment
 *   and the config file. Nothing is logged unless `log` says so
 * @throws PatchgateError where a setting, the contract or the recording is wrong
 */
export async function patchgate(kind: ServerKind, settings: UserConfig = {}): Promise<Patchgate> {
  if (!['proxy', 'replay', 'fake'].includes(kind)) {
    throw new PatchgateError('bad-usage', `there is no ${JSON.stringify(kind)}`, {
      hint: 'it is proxy, replay or fake',
    });
  }
  const { config } = await resolveConfig({ ...settings }, { ...COMMAND_DEFAULTS[kind], log: 'off' });
  return createPatchgate(kind, config, {
    writeLog: (text) => process.stdout.write(text),
    notice: (text) => process.stderr.write(`patchgate: ${text}\n`),
    env: process.env,
  });
}

/**
 * The judging alone, without sockets: `(await createGate()).inspectBody('updateProject', bytes).verdict`. With the guard,
 * as in front of a real service.
 *
 * @param settings as for `patchgate`; those of the judging count
 * @throws PatchgateError where a setting or the contract is wrong
 */
export async function createGate(settings: UserConfig = {}): Promise<Gate> {
  const { config } = await resolveConfig({ ...settings }, { guard: 'on' });
  return gateOf(config);
}
