import { type Config, DEFAULT_CONTRACT } from './config.ts';
import { type Contract, loadContract } from './contract/load-contract.ts';
import { PatchgateError } from './errors.ts';
import { createGate, type Gate } from './gate.ts';
import { outgoingPath } from './upstreams/outgoing.ts';
import { parseTarget } from './upstreams/target.ts';

export interface GateOfOptions {
  /** Compile a schema only when it is first needed. */
  lazy?: boolean;
  /** The same, where nobody but us could have broken it: a contract or a rule of one's own is tried at the start. */
  isBrief?: boolean;
}

/** The gate that a config asks for. @throws PatchgateError where contract or settings are wrong */
export function gateOf(config: Config, options: GateOfOptions = {}): Gate {
  const isOurs = config.contract === DEFAULT_CONTRACT;
  const contract = loadContract(config.contract, isOurs);
  const isTried = !isOurs || Object.keys(config.customRules).length > 0;
  if (config.target !== undefined) checkTargetPath(config.target, contract);
  const gate = createGate(contract, {
    validation: config.validation,
    guard: config.guard,
    allowDelete: config.allowDelete,
    unlisted: config.unlisted,
    severities: config.rules,
    overrides: config.overrides,
    customRules: config.customRules,
    placeOf: config.placeOf,
    basePaths: basePathsOf(config),
    bodyLimit: config.bodyLimit,
    lazy: options.lazy || (options.isBrief && !isTried) || false,
  });
  return config.target === undefined ? gate : judgingWhatIsSent(gate, parseTarget(config.target).path);
}

/** By the path that the target gets, which the dot segments of a request can lead out of its own, and by the client's. */
function judgingWhatIsSent(gate: Gate, targetPath: string): Gate {
  if (targetPath === '') return gate;
  const match: Gate['match'] = (head) => {
    const url = outgoingPath(targetPath, head.url);
    return (url === head.url ? undefined : gate.match({ ...head, url })) ?? gate.match(head);
  };
  return {
    ...gate,
    match,
    inspect: (request, meant = match(request), circumstances) => gate.inspect(request, meant, circumstances),
  };
}

/** The paths that operations follow. A path in the target's URL may be the client's to send or the gate's to add. */
function basePathsOf({ basePath, target }: Config): string[] {
  if (basePath === undefined) return [];
  const base = basePath.replace(/\/+$/, '');
  const added = target === undefined ? '' : parseTarget(target).path;
  return added !== '' && (base === added || base.startsWith(`${added}/`))
    ? [base, base.slice(added.length)]
    : [base];
}

/** A request is judged by its own path, so what the target's adds must not be part of an operation's. */
function checkTargetPath(text: string, { entries }: Contract): void {
  const { path } = parseTarget(text);
  const added = path.toLowerCase().split('/').slice(1);
  for (const entry of Object.values(entries)) {
    const part = entry.path
      .split('/')
      .find((segment) => segment !== '' && added.includes(segment.toLowerCase()));
    if (part === undefined) continue;
    throw new PatchgateError(
      'bad-usage',
      `the target's path ${path} reaches into ${entry.path}: such requests could not be judged`,
      {
        hint: `end the target's URL before /${part}, and let the client send the rest`,
      },
    );
  }
}
