import type { ContractTexts } from './read-contract-files.ts';

interface Kept {
  texts: ContractTexts;
  contract: unknown;
}

/** Contracts at a time; a process hardly ever has more than one. */
const MOST = 4;

/**
 * Those loaded last, the oldest first. It is nobody's state: a contract is made of the texts of its files and nothing else, and
 * checks each body as if it were the first, so that whoever loads the same texts again cannot tell whether it was made anew. But
 * to compile its schemas takes longer than all else at the start of a gate, and a test suite starts one for each test.
 */
const kept: Kept[] = [];

/** The contract of these texts: one that was made before, or what `make` makes. */
export function keptContract<Contract>(texts: ContractTexts, make: () => Contract): Contract {
  const known = kept.find((one) => areSame(one.texts, texts));
  if (known) return known.contract as Contract;
  const contract = make();
  kept.push({ texts, contract });
  if (kept.length > MOST) kept.shift();
  return contract;
}

function areSame(a: ContractTexts, b: ContractTexts): boolean {
  return (
    a.file === b.file &&
    a.contractText === b.contractText &&
    a.schemaTexts.size === b.schemaTexts.size &&
    [...a.schemaTexts].every(([name, text]) => b.schemaTexts.get(name) === text)
  );
}
