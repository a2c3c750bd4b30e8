/** The sizes at which growth is looked at, up to the largest: 1,000, 10,000 and 50,000 as it comes. */
export function sizesUpTo(exchanges) {
  return [exchanges / 50, exchanges / 5, exchanges];
}

/**
 * A row of a growth scenario: a size over a smaller one.
 *
 * @param rounds what was measured in each, by size: `[{ 1000: { value, … }, 10000: { value, … } }, …]`
 */
export function sizeOver(base, size, { name }, rounds) {
  return {
    name: `${name} ${shown(size)}`,
    peerName: `at ${shown(base)}`,
    pairs: rounds.map((of) => ({ ours: of[size], peer: of[base] })),
  };
}

function shown(size) {
  return size.toLocaleString('en-US');
}
