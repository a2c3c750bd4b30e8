import { amount, grouped } from './wording.ts';

/** A fault that never happened. */
export interface IdleFault {
  /** In one line. */
  fault: string;
  /** How many requests it fitted. */
  matched: number;
  /** One before it happened, perhaps to the very requests that it is for. */
  isBehindOthers: boolean;
  /** As the fault says them. */
  rate?: number | undefined;
  after?: number | undefined;
}

/** `the fault "GET /x status=503" never happened: it fitted no request that passed the gate` */
export function neverHappenedText({ fault, matched, isBehindOthers, rate, after }: IdleFault): string {
  const others = isBehindOthers ? ', or only such as a fault before it happened to' : '';
  const lets = after ? `it lets the first ${grouped(after)} of each session go by` : '';
  const why =
    matched === 0
      ? [`it fitted no request that passed the gate${others}`]
      : [
          `it fitted ${amount(matched, 'request')}`,
          ...(lets ? [lets] : []),
          ...(rate === undefined ? [] : [`at rate=${rate} it was never drawn`]),
        ];
  return `the fault "${fault}" never happened: ${why.join('; ')}`;
}
