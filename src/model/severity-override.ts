import type { SeveritySetting } from './finding.ts';

/**
 * The path by which a request was judged, from the first word of its operation's template on: what stands before that, the
 * query and one slash at the end count for nothing. `unclear`: it can be read in several ways.
 */
export type JudgedPath = `/${string}` | 'unclear';

/** Severities that hold for some requests alone. Of several, the later ones count. */
export interface SeverityOverride {
  /**
   * Globs, one of which a request's path must fit: `/api/v2/accounts/1/projects/*`. Absent: any path. `compile` makes a predicate of one:
   * the contract says how much of them counts.
   */
  paths?: { globs: readonly string[]; compile(glob: string): (path: string) => boolean };
  /** By rule name. */
  rules: Readonly<Record<string, SeveritySetting>>;
}
