import { plainCommand } from './commands/plain-command.ts';
import { messageOf, PatchgateError } from './errors.ts';
import { visible } from './reporters/wording.ts';
import { version } from './version.ts';

/** Runs the command line, and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  // The only place where an error becomes an exit code.
  process.on('uncaughtException', (error) => {
    fail(error);
    process.exit();
  });
  await run(args).catch(fail);
}

async function run(args: readonly string[]): Promise<void> {
  if (args[0] === '--version') {
    process.stdout.write(`${version()}\n`);
    return;
  }
  const plain = plainCommand(args);
  if (plain) {
    const { serve } = await import('./commands/serve.ts');
    await serve(plain.kind, plain.flags);
  } else {
    const { runCommandLine } = await import('./commands/command-line.ts');
    await runCommandLine(args);
  }
}

function fail(error: unknown): void {
  const known =
    error instanceof PatchgateError
      ? error
      : new PatchgateError('internal', `unexpected: ${messageOf(error)}`, { cause: error });
  // What it quotes may come from a file.
  const lines = [`patchgate: ${known.message}`, ...(known.hint === undefined ? [] : [`  ${known.hint}`])];
  process.stderr.write(lines.map((line) => `${visible(line)}\n`).join(''));
  process.exitCode = known.exitCode;
}
