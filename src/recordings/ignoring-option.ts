import { tokensOf } from '../json/pointer.ts';

/**
 * The option that ignores a difference at a place; undefined if there is none. Pure, for the page too.
 *
 * @param place as a `Difference` has it: `query/limit`, `headers/accept`, `body`, or a JSON Pointer
 */
export function ignoringOption(place: string): string | undefined {
  // Options are split at commas.
  if (place.endsWith('…') || /[,\s']/.test(place)) return undefined;
  if (place.startsWith('query/')) return `--ignore-query ${tokensOf(place.slice('query'.length))[0]}`;
  if (!place.startsWith('/')) return undefined;
  return `--ignore-pointers '${place.replace(/\/\d+(?=\/|$)/g, '/*')}'`;
}
