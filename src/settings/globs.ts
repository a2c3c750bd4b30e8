import { relative, sep } from 'node:path';

/** Whether an absolute file name is one that is meant. */
export type FilePredicate = (file: string) => boolean;
/** Whether a request's path is one that is meant. */
export type PathPredicate = (path: string) => boolean;

/** UTF-16 code units of a path that is held against globs: no record's is longer, and some globs take long for a long one. */
export const LONGEST_PATH = 1000;

/** For picomatch. Without `regex`, a plus repeats nothing. */
const PATH_OPTIONS = { dot: true, nonegate: true, noextglob: true, regex: false };

/**
 * Globs as a predicate. A pattern without a slash is that of a name in any folder, as in .gitignore.
 *
 * @param folder that the patterns start from
 */
export async function filePatterns(patterns: readonly string[], folder: string): Promise<FilePredicate> {
  const { default: picomatch } = await import('picomatch');
  const matchers = patterns.map((pattern) => {
    const glob = pattern.replace(/^\.\//, '');
    return picomatch(glob.includes('/') ? glob : `**/${glob}`, { dot: true });
  });
  return (file) => {
    const name = relative(folder, file).replaceAll(sep, '/');
    return matchers.some((matches) => matches(name));
  };
}

/**
 * Globs of request paths as a predicate: `/accounts/1/projects/*`. What stands before that in a path counts for nothing, nor do
 * its query and one slash at its end.
 */
export async function pathPatterns(patterns: readonly string[]): Promise<PathPredicate> {
  const compile = await pathCompiler();
  const matchers = patterns.map((pattern) => compile(`**/${pattern.replace(/^\/|\/$/g, '')}`));
  return (path) => {
    const bare = path.replace(/\?.*$/s, '').replace(/\/$/, '');
    return bare.length <= LONGEST_PATH && matchers.some((matches) => matches(bare));
  };
}

/** Makes a predicate of one glob of request paths. */
export async function pathCompiler(): Promise<(glob: string) => PathPredicate> {
  const { default: picomatch } = await import('picomatch');
  return (glob) => picomatch(glob, PATH_OPTIONS);
}
