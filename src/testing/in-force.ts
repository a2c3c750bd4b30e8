import type { Kind } from '../app/compose-upstream.ts';
import { type InForce, replayOrRecord, type Wording } from '../app/replay-or-record.ts';
import { PatchgateError } from '../errors.ts';
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';

/** What a test's gate is, and its settings. */
export interface TestGateInForce extends InForce {
  /** Whether all that was recorded must have been served in the end. A config file's word on that is for the command. */
  failUnused: boolean;
  /** Whether nothing may have been blocked; the same holds of it. */
  failOnBlock: boolean;
}

const giveTarget = (of: string) =>
  `give one: ${of}({ target: 'https://staging.example.com/api/v2' }), or PATCHGATE_TARGET`;

const WORDING: Wording = {
  flag: (name) => `the option ${name}`,
  target: giveTarget('replay'),
  record:
    'record it: PATCHGATE_RECORD=all PATCHGATE_TARGET=URL, or name the folder with the option recordings',
};

/** Where nobody says otherwise in the options: many gates run at a time, and none leaves anything behind. */
const OWN = { port: 0, log: 'off', state: false };

/** Each run of a suite draws the same faults, unless it is told otherwise. */
const FAULT_SEED = 1;

/**
 * Settles the settings of a gate within a test, and whether a replay is to record.
 *
 * @param options as given; undefined is not given
 * @throws PatchgateError where one is wrong
 */
export async function inForce(
  asked: Kind,
  options: Readonly<Record<string, unknown>>,
  notice: (text: string) => void,
): Promise<TestGateInForce> {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const resolved = await resolveConfig(
    { ...OWN, ...given },
    { ...COMMAND_DEFAULTS[asked], faultSeed: FAULT_SEED },
    process.env,
    process.cwd(),
    WORDING.flag,
  );
  if (asked === 'proxy' && resolved.config.target === undefined)
    throw new PatchgateError('bad-usage', 'no target is given', { hint: giveTarget('proxy') });
  const { config } = resolved;
  const isSaid = (name: 'failUnused' | 'failOnBlock') => config[name] && resolved.origins[name] === 'flag';
  const failOnBlock = isSaid('failOnBlock');
  if (asked !== 'replay') return { kind: asked, config, failUnused: false, failOnBlock };
  const notices: string[] = [];
  const settled = await replayOrRecord(resolved, process.env, (text) => notices.push(text), WORDING).catch(
    (error: unknown) => {
      // That nothing is recorded in CI matters where something is missing: a line for each gate of a suite would be noise.
      for (const text of notices) notice(text);
      throw error;
    },
  );
  return { ...settled, failUnused: settled.kind === 'replay' && isSaid('failUnused'), failOnBlock };
}
