import { messageOf, PatchgateError } from './errors.ts';
import { visible } from './reporters/wording.ts';

/** Runs the command line, and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  // Every user of the machine sees the arguments of a process: its title takes their place.
  if (args.some((arg) => PASSWORD.test(arg))) process.title = `patchgate ${args[0]}`;
  // The only place where an error becomes an exit code.
  process.on('uncaughtException', (error) => {
    fail(error);
    process.exit();
  });
  const { runCommandLine } = await import('./commands/command-line.ts');
  await runCommandLine(args).catch(fail);
}

/** In the URL of a database, well formed or not: up to its host, or to a parameter. */
const PASSWORD = /(postgres(?:ql)?:\/\/).*(?:@|password=[^\s"&]*)/;

function fail(error: unknown): void {
  const known = error instanceof PatchgateError ? error : unexpected(error);
  // What it quotes may come from a file.
  const lines = [`patchgate: ${known.message}`, ...(known.hint === undefined ? [] : [`  ${known.hint}`])];
  const clean = lines.map((line) => visible(line.replace(PASSWORD, '$1')));
  process.stderr.write(clean.map((line) => `${line}\n`).join(''));
  process.exitCode = known.exitCode;
}

function unexpected(cause: unknown): PatchgateError {
  const isFolderGone = cause instanceof Error && 'syscall' in cause && cause.syscall === 'uv_cwd';
  if (!isFolderGone) return new PatchgateError('internal', `unexpected: ${messageOf(cause)}`, { cause });
  const hint = 'go to another one; if it was made again: cd "$PWD"';
  return new PatchgateError('cannot-read', 'the working folder was deleted', { hint });
}
