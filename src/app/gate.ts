import type { Contract } from '../contract/contract.ts';
import { openApiText } from '../contract/contract-files.ts';
import { shippedContract } from '../contract/shipped-contract.ts';
import { PatchgateError } from '../errors.ts';
import { createGate, type Gate } from '../gate/gate.ts';
import type { Config } from '../settings/config.ts';
import { parseTarget } from '../upstreams/target.ts';

/** Bytes of the largest body to judge, before and after decoding. */
const BODY_LIMIT = 5 * 1024 * 1024;

/** The gate that a config asks for. @param isLazy compile and try each operation when it is first needed
 *  @throws PatchgateError if contract or settings are wrong */
export async function gateOf(config: Config, isLazy = false, notice?: (text: string) => void): Promise<Gate> {
  const contract = await contractAt(config.contract, notice);
  const own = { bodyLimit: BODY_LIMIT, tellsEffects: config.audit !== undefined, lazy: isLazy };
  if (config.target !== undefined) checkTargetPath(parseTarget(config.target).path, contract);
  return createGate(contract, { ...config, ...own });
}

/** The gate of a command that judges, whatever a proxy of the same config does. @throws PatchgateError as `gateOf` */
export function judgingGate(config: Config): Promise<Gate> {
  return gateOf({ ...config, validation: 'enforce' }, true);
}

/** Loads Ajv for a contract of one's own alone: that takes as long as all the rest. @throws PatchgateError `bad-contract` */
export async function contractAt(location: string, notice?: (text: string) => void): Promise<Contract> {
  const shipped = shippedContract(location);
  if (shipped) return shipped;
  const text = openApiText(location);
  if (text === undefined) return (await import('../contract/load-contract.ts')).loadContract(location);
  const { fromOpenApi, summaryOf } = await import('../contract/openapi/from-openapi.ts');
  const imported = await fromOpenApi(location, text);
  notice?.(`${location}: ${summaryOf(imported)}`);
  return imported.contract;
}

/** A request is judged by its own path, so the target's path must add no part of an operation's. */
function checkTargetPath(path: string, { entries }: Contract): void {
  const added = path.split('/').slice(1);
  for (const entry of Object.values(entries)) {
    const segments = entry.path.toLowerCase().split('/').slice(1);
    // A parameter may be any text.
    const isAny = segments[0]?.startsWith('{');
    const part = added.find((segment) => isAny || segments.includes(segment.toLowerCase()));
    if (part === undefined) continue;
    const message = `the target's path ${path} reaches into ${entry.path}: such requests could not be judged`;
    const hint = `end the target's URL before /${part}, and let the client send the rest`;
    throw new PatchgateError('bad-usage', message, { hint });
  }
}
