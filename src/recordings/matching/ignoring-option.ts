import { tokensOf } from '../../json/pointer.ts';

/**
 * The option with which a difference at a place would not count. Undefined where there is none. Pure, for the page too.
 *
 * @param place as a `Difference` has it: `query/limit`, `headers/accept`, `body`, or a JSON Pointer
 */
export function ignoringOption(place: string): string | undefined {
  // One that was cut names nothing, and options are parted at commas.
  if (place.endsWith('…') || /[,\s']/.test(place)) return undefined;
  if (place.startsWith('query/')) return `--ignore-query ${tokensOf(place.slice('query'.length))[0]}`;
  if (!place.startsWith('/')) return undefined;
  return `--ignore-pointers '${place.replace(/\/\d+(?=\/|$)/g, '/*')}'`;
}
