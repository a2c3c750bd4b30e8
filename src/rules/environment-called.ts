import type { LosingEffect } from '../model/effect.ts';
import type { Place } from '../model/rule.ts';
import { shortened } from '../model/short-text.ts';

/** UTF-16 code units of a name that a message shows. */
const MOST = 200;

/** `environment 3 (Staging)`; without the name if there is none. */
export function environmentCalled(id: number, name: string): string {
  return name === '' ? `environment ${id}` : `environment ${id} (${shortened(name, MOST)})`;
}

/** What the policy says of an environment that would be lost. */
export function markOf({ allowed, protected: isProtected }: LosingEffect): Partial<Place> {
  if (isProtected) return { isDestructive: true, isProtected };
  return allowed ? {} : { isDestructive: true };
}

/** The hint, and before it why no approval would help. */
export function withProtection(hint: string, { protected: isProtected }: LosingEffect): string {
  return isProtected ? `it is protected: no approval deletes it; ${hint}` : hint;
}
