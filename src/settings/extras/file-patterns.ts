import { relative, sep } from 'node:path';

/** Whether an absolute file name is one that is meant. */
export type FilePredicate = (file: string) => boolean;

/**
 * Globs as a predicate. A pattern without a slash is that of a name in any folder, as in .gitignore.
 *
 * @param folder that the patterns start from
 */
export async function filePatterns(patterns: readonly string[], folder: string): Promise<FilePredicate> {
  const { default: picomatch } = await import('picomatch');
  const plain = patterns.map((pattern) => pattern.replace(/^\.\//, ''));
  const matchers = plain.map((pattern) =>
    picomatch(pattern.includes('/') ? pattern : `**/${pattern}`, { dot: true }),
  );
  return (file) => {
    const name = relative(folder, file).replaceAll(sep, '/');
    return matchers.some((matches) => matches(name));
  };
}
