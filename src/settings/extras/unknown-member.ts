import type { JsonObject } from '../../json/json.ts';
import { nearest } from '../../model/nearest.ts';

/** The first member of an entry that is none of those that it has, with what was probably meant; undefined where all are. */
export function unknownMember(
  entry: JsonObject,
  known: readonly string[],
): { member: string; hint: string } | undefined {
  const member = Object.keys(entry).find((name) => !known.includes(name));
  if (member === undefined) return undefined;
  const near = nearest(member, known);
  return { member, hint: near ? `did you mean "${near}"?` : `it has: ${known.join(', ')}` };
}
