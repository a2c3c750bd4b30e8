/** Files that are handed in: bodies, recordings, HTTP archives. */
import { readFileSync } from 'node:fs';
import { PatchgateError, whyUnreadable } from '../errors.ts';
import { STDIN_NAME } from '../reporters/report.ts';

/** The word for standard input. */
export const STDIN = '-';

/** yargs loses a lone - among the positionals. */
export function withStdin(files: readonly string[]): string[] {
  const others = files.filter((file) => file !== '' && file !== STDIN);
  return others.length < files.length || process.argv.slice(2).includes(STDIN) ? [STDIN, ...others] : others;
}

/** For people. */
export function nameOf(file: string): string {
  return file === STDIN ? STDIN_NAME : file;
}

/** Reads a file, or standard input for `-`. @throws PatchgateError `bad-input` */
export async function readBytes(file: string): Promise<Buffer> {
  try {
    if (file !== STDIN) return readFileSync(file);
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    const message = `cannot read ${nameOf(file)}: ${whyUnreadable(error)}`;
    throw new PatchgateError('bad-input', message, { cause: error });
  }
}
