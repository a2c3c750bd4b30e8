import type { DecideDeletion } from '../model/effect.ts';
import { nameMatcher } from '../model/name-pattern.ts';

export interface GuardPolicyOptions {
  /** Names of environments that may go without asking. */
  allowDelete?: readonly string[] | undefined;
  /** Names of environments that never go, although `allowDelete` has them. */
  protect?: readonly string[] | undefined;
}

/** Decides by its name what becomes of an environment. A name that is not known (`""`) may be a protected one. */
export function decideDeletion({ allowDelete = [], protect = [] }: GuardPolicyOptions): DecideDeletion {
  const mayGo = nameMatcher(allowDelete);
  const isProtected = nameMatcher(protect);
  return (name) => {
    if (name === '' ? protect.length > 0 : isProtected(name)) return 'protect';
    return name !== '' && mayGo(name) ? 'allow' : 'approve';
  };
}
