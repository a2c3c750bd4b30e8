import { gateOf } from '../../../app/compose-gate.ts';
import type { Contract } from '../../../contract/contract.ts';
import { loadContract } from '../../../contract/load-contract.ts';
import { PatchgateError } from '../../../errors.ts';
import type { Gate } from '../../../gate/gate.ts';
import { globFromTemplate } from '../../../gate/glob-from-template.ts';
import type { SeverityOverride } from '../../../model/severity-override.ts';
import type { Config } from '../../../settings/config.ts';
import { comparing } from './compare-contracts.ts';

/**
 * The gate that compares with another contract, for which the same settings count as far as it has the operations.
 *
 * @param contract folder or contract.json
 * @throws PatchgateError `bad-contract` where that does not load
 */
export async function gateAgainst(gate: Gate, config: Config, contract: string): Promise<Gate> {
  const settings = settingsFor(loadOld(contract), config);
  return comparing(gate, await gateOf({ ...config, ...settings, contract }, { lazy: true }));
}

function loadOld(contract: string): Contract {
  try {
    return loadContract(contract);
  } catch (error) {
    if (!(error instanceof PatchgateError)) throw error;
    throw new PatchgateError(error.code, `--against-contract ${contract}: ${error.message}`, {
      hint: 'name a folder with the contract.json before the change and its schemas',
      cause: error,
    });
  }
}

/** What is about other operations, a gate of the contract would refuse. */
function settingsFor(
  { entries }: Contract,
  { customRules, rules, overrides }: Config,
): Pick<Config, 'customRules' | 'rules' | 'overrides'> {
  const taken = Object.entries(customRules).filter(([operation]) => Object.hasOwn(entries, operation));
  const namesOf = (some: readonly (readonly { name: string }[])[]) => some.flat().map(({ name }) => name);
  const there = new Set(namesOf(taken.map(([, own]) => own)));
  const missing = new Set(namesOf(Object.values(customRules)).filter((name) => !there.has(name)));
  const known = <T>(severities: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(severities).filter(([name]) => !missing.has(name)));
  const templates = Object.values(entries).map(({ path }) => path);
  const fitting = overrides.flatMap((override): SeverityOverride[] => {
    const { paths } = override;
    const globs = paths?.globs.filter((glob) => globFromTemplate(glob, templates) !== undefined);
    if (globs?.length === 0) return [];
    return [
      { ...override, rules: known(override.rules), ...(paths && globs && { paths: { ...paths, globs } }) },
    ];
  });
  return { customRules: Object.fromEntries(taken), rules: known(rules), overrides: fitting };
}
