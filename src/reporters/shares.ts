/**
 * Shares out what is too little for all: none gets more than it asks for, and what one leaves goes to the others.
 *
 * @param wanted how much each asks for
 * @param most how much there is
 */
export function sharesOf(wanted: readonly number[], most: number): number[] {
  const shares: number[] = [];
  let left = most;
  const modestFirst = [...wanted.keys()].sort((a, b) => (wanted[a] as number) - (wanted[b] as number));
  for (const [served, index] of modestFirst.entries()) {
    const share = Math.min(wanted[index] as number, Math.ceil(left / (wanted.length - served)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
