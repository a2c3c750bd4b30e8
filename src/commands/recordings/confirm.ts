import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { PatchgateError } from '../../errors.ts';
import { amount } from '../../reporters/wording.ts';
import { printable } from '../../server/printable.ts';
import type { Removal, RemoveArgs, Removed } from './run-remove.ts';
import { sizeText } from './units.ts';

/** Asks on the terminal whether something is to be removed. @throws PatchgateError `bad-usage` where there is none */
export async function confirm(removal: Removal, args: RemoveArgs): Promise<boolean> {
  const why = args.unused ? ', for which no run has asked since the recording changed' : '';
  const question = `remove ${whatText(removal, args)}${why}?`;
  if (!process.stdin.isTTY) {
    throw new PatchgateError('bad-usage', `nobody can be asked here: ${question}`, {
      hint: 'add --yes to remove it without being asked',
    });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y(?:es)?\s*$/i.test(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}

/** What was removed, for people. */
export function removedText(removed: Removed | undefined, args: RemoveArgs): string {
  if (removed === undefined) return 'nothing was removed\n';
  const lines = [`removed ${whatText(removed, args)}`];
  if (removed.others.length > 0) {
    lines.push('these files stay, which patchgate did not make:');
    lines.push(...removed.others.slice(0, 20).map((location) => `  ${printable(location)}`));
    if (removed.others.length > 20) lines.push(`  and ${removed.others.length - 20} more`);
  }
  return `${lines.join('\n')}\n`;
}

/** `3 of 5 exchanges of recordings/checkout (2 files, 2.1 KiB)` */
function whatText({ exchanges, inAll, files, size }: Removal, { folder, name }: RemoveArgs): string {
  const root = join(folder, name);
  const total = `${amount(files, 'file')}, ${sizeText(size)}`;
  return exchanges === undefined
    ? `all of ${root} (${total})`
    : `${exchanges} of ${amount(inAll ?? exchanges, 'exchange')} of ${root} (${total})`;
}
