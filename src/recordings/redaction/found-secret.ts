import type { JsonValue } from '../../json/json.ts';

/** One thing that was hidden. */
export interface FoundSecret {
  /** Why: `the name "token"`, `the pointer /users/0/email`, `the pattern \d{16}`, `a GitHub token`. */
  what: string;
  /** `query/token`, `headers/location`, `path`, `body`, or the JSON Pointer of a place in the body. */
  place: string;
  /** Nobody named it: it looks like a secret. */
  isDetected: boolean;
  /** What stood there, for looking for it elsewhere. Never to be written or shown. */
  value: JsonValue;
}

export type OnFound = (found: FoundSecret) => void;

/** What is a secret by its name. */
export function foundByName(name: string, place: string, value: JsonValue): FoundSecret {
  return { what: `the name "${name}"`, place, isDetected: false, value };
}
