import type { Gate } from '../../gate/gate.ts';
import type { Knowledge } from '../../guard/knowledge.ts';
import { recordedLesson } from '../../guard/recorded-history.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Verdict } from '../../model/finding.ts';
import type { RecordKind } from '../../model/record.ts';
import type { KnownState } from '../../state/known-state.ts';
import { type AskOptions, upstreamRequest } from './ask-target.ts';
import type { Sendable } from './sendable.ts';

/** What says whether a change may be sent: the gate, and what this run has seen of the service. */
export interface Judge {
  gate: Gate;
  state: KnownState;
  learn: readonly RecordKind[];
  /** Reads a record from the target; undefined: nothing is read. */
  find: Knowledge['find'];
}

/** @param file absolute name of that which holds the request */
export async function judgeChange(
  { gate, state, find }: Judge,
  request: Sendable,
  options: Pick<AskOptions, 'target'>,
  file: string,
): Promise<Verdict> {
  const { head, body } = request;
  const match = gate.match(head);
  const record = match && gate.recordOf(match);
  if (record && gate.guards(record.kind) && !state.of(record))
    await find?.(record, { ...upstreamRequest(request, options), cameAt: performance.now() });
  const known = record && state.of(record);
  return gate.inspect({ ...head, body }, match, { known, file }).verdict;
}

/** What an exchange of this run shows is known for the next. */
export function learnFrom({ gate, state, learn }: Judge, exchange: Exchange): void {
  recordedLesson(gate, learn, exchange)?.teach(state);
}
