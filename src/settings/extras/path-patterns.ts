import { LONGEST_PATH, PATH_GLOB_OPTIONS } from './globs.ts';

/** Whether a request's path is one that is meant. */
export type PathPredicate = (path: string) => boolean;

/**
 * Globs of request paths as a predicate: `/accounts/1/projects/*`. What stands before that in a path counts for nothing, nor do
 * its query and one slash at its end.
 */
export async function pathPatterns(patterns: readonly string[]): Promise<PathPredicate> {
  const { default: picomatch } = await import('picomatch');
  const matchers = patterns.map((pattern) =>
    picomatch(`**/${pattern.replace(/^\/|\/$/g, '')}`, PATH_GLOB_OPTIONS),
  );
  return (path) => {
    const bare = path.replace(/\?.*$/s, '').replace(/\/$/, '');
    return bare.length <= LONGEST_PATH && matchers.some((matches) => matches(bare));
  };
}
