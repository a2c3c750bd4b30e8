import type { Contract } from '../contract/contract.ts';
import { openApiText } from '../contract/contract-files.ts';
import { shippedContract } from '../contract/shipped-contract.ts';
import { PatchgateError } from '../errors.ts';
import { createGate, type Gate } from '../gate/gate.ts';
import type { Config } from '../settings/config.ts';
import { outgoingPath } from '../upstreams/outgoing.ts';
import { parseTarget } from '../upstreams/target.ts';

/** Bytes of the largest body to judge, before and after decoding. */
const BODY_LIMIT = 5 * 1024 * 1024;

/**
 * The gate that a config asks for.
 *
 * @param isLazy compile and try each operation when it is first needed
 * @throws PatchgateError if contract or settings are wrong
 */
export async function gateOf(config: Config, isLazy = false, notice?: (text: string) => void): Promise<Gate> {
  const contract = await contractAt(config.contract, notice);
  const own = { bodyLimit: BODY_LIMIT, tellsEffects: config.audit !== undefined, lazy: isLazy };
  const gate = createGate(contract, { ...config, ...own });
  if (config.target === undefined) return gate;
  const { path } = parseTarget(config.target);
  checkTargetPath(path, contract);
  return path === '' ? gate : judgingWhatIsSent(gate, path);
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

/** Judges by the path that the target gets, which dot segments can lead out of the target's own, and by the client's. */
function judgingWhatIsSent(gate: Gate, targetPath: string): Gate {
  const sent = (url: string) => outgoingPath(targetPath, url);
  const match: Gate['match'] = (head) => {
    const url = sent(head.url);
    return (url === head.url ? undefined : gate.match({ ...head, url })) ?? gate.match(head);
  };
  return {
    ...gate,
    match,
    inspect: (request, meant = match(request), circumstances) => gate.inspect(request, meant, circumstances),
    recordAt: (url) => gate.recordAt(sent(url)),
    guardsAt: (url) => gate.guardsAt(sent(url)),
  };
}

/** A request is judged by its own path, so the target's path must add no part of an operation's. */
function checkTargetPath(path: string, { entries }: Contract): void {
  const added = path.toLowerCase().split('/').slice(1);
  for (const entry of Object.values(entries)) {
    const part = entry.path.split('/').find((segment) => segment && added.includes(segment.toLowerCase()));
    if (part === undefined) continue;
    const message = `the target's path ${path} reaches into ${entry.path}: such requests could not be judged`;
    const hint = `end the target's URL before /${part}, and let the client send the rest`;
    throw new PatchgateError('bad-usage', message, { hint });
  }
}
