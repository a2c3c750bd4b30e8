import { isAbsolute, relative, resolve } from 'node:path';

/** A file's name as seen from a folder, where that is shorter than the whole. */
export function shortPath(file: string, cwd: string): string {
  const seen = relative(cwd, file) || '.';
  return seen.length < file.length ? seen : file;
}

/** A path that stands in a file of `folder`, as it is to be used in `cwd`. An empty one is none. */
export function pathFrom(folder: string, path: string, cwd: string): string {
  if (path === '' || isAbsolute(path) || folder === resolve(cwd)) return path;
  return shortPath(resolve(folder, path), cwd);
}
