import { hash } from 'node:crypto';

/**
 * A number from 0 to below 1 that depends on nothing but what is given: whatever else runs meanwhile, the same comes again.
 *
 * @param what that is drawn, and for which of several
 */
export function draw(seed: number, session: string, what: string, ordinal: number): number {
  return hash('sha1', `${seed}\n${session}\n${what}\n${ordinal}`, 'buffer').readUIntBE(0, 6) / 2 ** 48;
}
