/**
 * The order in which exchanges are asked for: in turn, again and again, or with a seed at random, the same for the same
 * seed. @returns a function that gives the next index below `count`
 */
export function orderOf(count, seed) {
  let sent = 0;
  if (seed === undefined) return () => sent++ % count;
  let state = seed;
  return () => {
    // "mulberry32", a generator of 32 bits that is in the public domain.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}
