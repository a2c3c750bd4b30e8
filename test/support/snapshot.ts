/** This checkout as it stands, as a repository that others can clone. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, runProgram } from './binary.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Runs git, with no hook or signature of the user's. @returns what it says */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const settings = [
    'user.name=Test',
    'user.email=test@example.com',
    'commit.gpgSign=false',
    'core.hooksPath=/dev/null',
  ];
  const given = [...settings.flatMap((setting) => ['-c', setting]), ...args];
  const { code, stdout, stderr } = await runProgram('git', given, { cwd });
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** A repository with one commit: the files here that git has or would take, with their changes. @returns its folder */
export async function snapshot(): Promise<string> {
  const folder = temporaryFolder();
  const listed = await git(ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
  const deleted = new Set((await git(ROOT, 'ls-files', '-z', '--deleted')).split('\0'));
  for (const file of listed.split('\0').filter((name) => name !== '' && !deleted.has(name))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(folder, file));
  }
  await git(folder, 'init', '--quiet');
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--message', 'as it stands');
  return folder;
}
