import { readFile } from 'node:fs/promises';
import { PatchgateError, whyUnreadable } from '../../errors.ts';
import { readState, type State } from '../../state/state-file.ts';

/**
 * Reads the records that the fake starts with.
 *
 * @param seed a file, or what would stand in it
 * @throws PatchgateError `bad-input`: there is no such file, it cannot be read, is no JSON, or has another shape
 */
export async function loadSeed(seed: string | State): Promise<State> {
  if (typeof seed !== 'string') return readState(JSON.stringify(seed), 'the seed');
  const file = seed;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const why = whyUnreadable(error);
    throw new PatchgateError('bad-input', `cannot read the seed ${file}: ${why}`, {
      hint: 'check the path given with --seed, or leave it out to use the built-in sample',
      cause: error,
    });
  }
  return readState(text, file);
}
