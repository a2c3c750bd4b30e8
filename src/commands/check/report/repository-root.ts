import { isAbsolute, relative, sep } from 'node:path';

/** What CI systems call the folder of the repository. */
const VARIABLES = ['GITHUB_WORKSPACE', 'CI_PROJECT_DIR'] as const;

/**
 * The folder that the files in a report for a CI system are relative to: that of the repository, where the system names it and the
 * working directory is in it; else the working directory.
 */
export function repositoryRoot(cwd: string, env: Readonly<Record<string, string | undefined>>): string {
  const roots = VARIABLES.flatMap((name) => env[name] || []);
  return roots.find((root) => isAbsolute(root) && isWithin(root, cwd)) ?? cwd;
}

function isWithin(root: string, folder: string): boolean {
  const path = relative(root, folder);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
