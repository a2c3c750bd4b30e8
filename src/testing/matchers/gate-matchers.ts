import type { UserConfig } from '../../settings/define-config.ts';
import type { GateAssertions } from './assertions.ts';
import { deletes, haveFinding, passGate } from './body-matchers.ts';
import { haveServed } from './have-served.ts';
import { Judge } from './judge.ts';
import type { Outcome, Runner } from './runner.ts';

/** For `expect.extend`. */
export type GateMatchers = {
  [Name in keyof GateAssertions<void>]: (
    this: Runner,
    received: unknown,
    ...expected: Parameters<GateAssertions<void>[Name]>
  ) => Outcome;
};

/**
 * Matchers for bodies and gates: `expect.extend(await gateMatchers({ contract: './schemas' }))`. They wait for nothing, so that one
 * without `await` does not pass unseen; all that takes time is done here.
 *
 * @param settings as in a config file, those of `patchgate check`; they stand above the environment and the config file
 * @throws PatchgateError where a setting or the contract is wrong
 */
export async function gateMatchers(settings: UserConfig<number> = {}): Promise<GateMatchers> {
  const judge = await Judge.of(settings);
  return {
    toPassGate(body, operation, options) {
      return passGate(this, judge, body, operation, options);
    },
    toHaveFinding(body, operation, finding, options) {
      return haveFinding(this, judge, body, operation, finding, options);
    },
    toHaveServed(gate, exchange) {
      return haveServed(this, judge, gate, exchange);
    },
    toDelete(body, deletions, state) {
      return deletes(this, judge, body, deletions, state);
    },
  };
}
