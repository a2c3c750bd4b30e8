const LINE_FEED = 10;
const PART = 256 * 1024;

export interface Line {
  /** Where it stands, and where the next one does. */
  start: number;
  end: number;
  /** Without its line feed. */
  bytes: Buffer;
}

/**
 * The whole lines between two positions, read part by part.
 *
 * @param read what stands at a position, `end` at most; perhaps less, nothing where there is no more
 * @returns behind the last whole line
 */
export function* linesOf(
  read: (start: number, end: number) => Buffer,
  start: number,
  end: number,
): Generator<Line, number> {
  let line = start;
  let rest: Buffer = Buffer.alloc(0);
  // Longer for a long line, which would else be put together again and again.
  for (let part = PART; line + rest.length < end; part *= 2) {
    const from = line + rest.length;
    const more = read(from, Math.min(from + part, end));
    if (more.length === 0) break;
    const bytes = rest.length === 0 ? more : Buffer.concat([rest, more]);
    let at = 0;
    for (let feed = bytes.indexOf(LINE_FEED); feed >= 0; feed = bytes.indexOf(LINE_FEED, at)) {
      yield { start: line, end: line + feed + 1 - at, bytes: bytes.subarray(at, feed) };
      line += feed + 1 - at;
      at = feed + 1;
      part = PART / 2;
    }
    rest = bytes.subarray(at);
  }
  return line;
}
