import { gateOf } from '../../app/compose-gate.ts';
import type { Gate } from '../../gate/gate.ts';
import { type Resolved, workspaceOf } from '../../settings/config.ts';
import type { InitialStateOptions } from './initial-state.ts';

type ResolvedSettings = Pick<Resolved, 'config' | 'origins'>;

/** What is known before anything is judged, by the settings in force. */
export function initialStateOf({ config, origins }: ResolvedSettings): InitialStateOptions {
  return {
    learn: config.learn,
    account: workspaceOf(config),
    // A proxy's says what the service holds today, which is not what it held before a recording was made.
    state: (origins.state === 'flag' && config.state) || undefined,
  };
}

/** The gate that a check judges with. @param againstContract another contract, with which it compares */
export async function checkGate({ config }: ResolvedSettings, againstContract?: string): Promise<Gate> {
  // To judge is what the command is for, whatever a proxy of the same config does.
  const judging = { ...config, validation: 'enforce' } as const;
  const gate = await gateOf(judging, { lazy: true });
  if (againstContract === undefined) return gate;
  const { gateAgainst } = await import('./compare-contracts.ts');
  return gateAgainst(gate, judging, againstContract);
}
