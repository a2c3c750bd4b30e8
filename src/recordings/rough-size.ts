/** About how many bytes a value takes as indented JSON. Not exact: it only keeps sums within bounds, at little cost. */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 16;
  if (typeof value !== 'object' || value === null) return 16;
  let size = 16;
  if (Array.isArray(value)) for (const item of value) size += roughSize(item);
  else for (const name in value) size += name.length + roughSize((value as Record<string, unknown>)[name]);
  return size;
}
