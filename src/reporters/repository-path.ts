import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Of standard input, which is no file. */
export const STDIN_NAME = '<stdin>';

/**
 * A judged file as the repository has it: `bodies/a.json`.
 *
 * @param file as in the report
 * @returns undefined for standard input; an absolute path for what is not in the repository
 */
export function repositoryPath(
  file: string,
  { cwd, root }: { readonly cwd: string; readonly root: string },
): string | undefined {
  if (file === STDIN_NAME) return undefined;
  const path = relative(root, resolve(cwd, file));
  const isOutside = path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
  return (isOutside ? resolve(cwd, file) : path).replaceAll(sep, '/');
}
