import { METHODS as KNOWN } from 'node:http';
import { type ErrorCode, PatchgateError } from '../../errors.ts';
import type { FaultPlan, Latency } from '../../model/fault.ts';
import { faultText } from '../../model/fault-text.ts';
import { nearest } from '../../model/nearest.ts';

/** What there is here, for faults to happen to. */
export interface Checks {
  /** Of the contract. */
  operations: readonly string[];
  /** Whether answers come out of a recording. */
  replays: boolean;
}

/** A word of a fault may be meant to be one; a method that nobody knows, too. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Whether each can happen at all. @throws PatchgateError with that code, naming the fault */
export function checkPlan(
  { rules, latency }: Pick<FaultPlan, 'rules' | 'latency'>,
  { operations, replays }: Checks,
  code: ErrorCode,
): void {
  for (const rule of rules) {
    const { method, operation } = rule;
    const meant = method === undefined || KNOWN.includes(method) ? undefined : nearest(method, METHODS);
    if (meant)
      throw new PatchgateError(code, `fault "${faultText(rule)}": ${method} is no method of HTTP`, {
        hint: `did you mean "${meant}"?`,
      });
    if (operation === undefined || operations.includes(operation)) continue;
    const near = nearest(operation, [...operations, 'reset', ...METHODS]);
    throw new PatchgateError(code, `fault "${faultText(rule)}": the contract has no operation ${operation}`, {
      hint: near ? `did you mean "${near}"?` : `operations: ${operations.join(', ')}`,
    });
  }
  if (replays || ![latency, ...rules.map((rule) => rule.latency)].includes('recorded')) return;
  throw new PatchgateError(code, 'latency recorded: nothing is replayed here', {
    hint: 'it is for replay, and for proxy with --record once, new_episodes or none; else give a time: 50ms..200ms',
  });
}

/** Whether something of it depends on the seed. */
export function isDrawn({ rules, latency }: Pick<FaultPlan, 'rules' | 'latency'>): boolean {
  return (
    isRange(latency) ||
    rules.some((rule) => isRange(rule.latency) || (rule.rate !== undefined && rule.rate > 0 && rule.rate < 1))
  );
}

function isRange(latency: Latency | undefined): boolean {
  return typeof latency === 'object' && latency.from < latency.to;
}
