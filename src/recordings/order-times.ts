import type { Exchange } from '../model/exchange.ts';

/**
 * When each exchange of a file counts as recorded (milliseconds since the epoch), for an order across files: in one file the order
 * is the file's, since what was recorded anew in the place of another may be newer than what follows it.
 *
 * @returns to be asked for the exchanges of one file, from the first on
 */
export function orderTimes(): (exchange: Pick<Exchange, 'meta'>) => number {
  let time = 0;
  return ({ meta }) => {
    time = Math.max(time, Date.parse(meta.recordedAt));
    return time;
  };
}
