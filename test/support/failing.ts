import { stripVTControlCharacters } from 'node:util';

/** The message with which an assertion fails, without colours. @throws Error where it holds */
export function failing(assertion: () => void): string {
  try {
    assertion();
  } catch (error) {
    return stripVTControlCharacters((error as Error).message);
  }
  throw new Error('the assertion holds');
}
