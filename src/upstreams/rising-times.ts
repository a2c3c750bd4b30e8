/** Milliseconds that a time is put off at most. */
const MOST = 50;

/**
 * Times of exchanges that end one after the other, so that they tell the order: of several in one millisecond, the later ones
 * are put off. What began long before the one that ended last keeps its time.
 *
 * @returns takes milliseconds since the epoch
 */
export function risingTimes(): (time: number) => number {
  let last = 0;
  return (time) => {
    if (time < last - MOST) return time;
    last = time > last ? time : Math.min(last + 1, time + MOST);
    return last;
  };
}
