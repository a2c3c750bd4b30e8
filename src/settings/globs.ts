import type { SeverityOverride } from '../model/severity-override.ts';
import type { UserOverride } from './define-config.ts';

/** UTF-16 code units of a path that is held against globs: no record's is longer, and some globs take long for a long one. */
export const LONGEST_PATH = 1000;
export type PathPredicate = (path: string) => boolean;

/** Without `regex`, a plus repeats nothing. */
const PATH_OPTIONS = { dot: true, nonegate: true, noextglob: true, regex: false };

export async function overridesOf(overrides: readonly UserOverride[]): Promise<SeverityOverride[]> {
  if (overrides.length === 0) return [];
  const { default: picomatch } = await import('picomatch');
  return overrides.map(({ paths, rules }) => ({
    ...(paths && { paths: { globs: [paths].flat(), compile: (glob) => picomatch(glob, PATH_OPTIONS) } }),
    rules,
  }));
}

/**
 * Globs of request paths as a predicate: `/accounts/1/projects/*`. What stands before that in a path counts for nothing, nor do
 * its query and one slash at its end.
 */
export async function pathPatterns(patterns: readonly string[]): Promise<PathPredicate> {
  const { default: picomatch } = await import('picomatch');
  const globs = patterns.map((pattern) => `**/${pattern.replace(/^\/|\/$/g, '')}`);
  const matches = picomatch(globs, PATH_OPTIONS);
  return (path) => {
    const bare = path.replace(/\?.*$/s, '').replace(/\/$/, '');
    return bare.length <= LONGEST_PATH && matches(bare);
  };
}
