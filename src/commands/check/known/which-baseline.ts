import { PatchgateError } from '../../../errors.ts';

const DEFAULT_BASELINE = 'patchgate-baseline.json';

export interface BaselineWishes {
  /** The setting, and whether it was given as a flag. */
  baseline: string | undefined;
  isFlag: boolean;
  /** `--write-baseline`: the file, or `""` where the flag stands alone. */
  writeBaseline: string | undefined;
  /** `--against-contract`. The contract before says what is known then, so no baseline is asked, though it is none to judge. */
  againstContract: string | undefined;
}

/** Which baseline is read, or written. @throws PatchgateError `bad-usage` where the wishes go ill together */
export function whichBaseline({ baseline, isFlag, writeBaseline, againstContract }: BaselineWishes): {
  baseline?: string;
  writeBaseline: boolean;
} {
  const writes = writeBaseline !== undefined;
  if (againstContract !== undefined && (writes || isFlag)) {
    throw new PatchgateError(
      'bad-usage',
      `--against-contract and ${writes ? '--write-baseline' : '--baseline'} cannot be given together`,
      { hint: 'what the contract before found is known already' },
    );
  }
  if (!writes) return { ...(baseline !== undefined && { baseline }), writeBaseline: false };
  if (writeBaseline !== '' && isFlag && writeBaseline !== baseline) {
    throw new PatchgateError(
      'bad-usage',
      `--baseline ${baseline} and --write-baseline=${writeBaseline} name two files`,
      { hint: 'name one of them: --write-baseline=FILE' },
    );
  }
  return { baseline: writeBaseline || (baseline ?? DEFAULT_BASELINE), writeBaseline: true };
}
