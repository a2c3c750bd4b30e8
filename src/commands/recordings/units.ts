const SIZES = ['B', 'KiB', 'MiB', 'GiB'];

/** `1.2 KiB` */
export function sizeText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < SIZES.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${SIZES[unit]}`;
}

const AGES = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** Milliseconds in whole units of the largest that fits: `45d`, `3h`. What is shorter than a second: `0s`. */
export function ageText(milliseconds: number): string {
  const [unit, length] = AGES.find(([, least]) => milliseconds >= least) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(milliseconds / length))}${unit}`;
}

/** How long ago, in its largest unit: `3d`, `5h`, `12m`, `now` below a minute. */
export function ageSince(time: number, now: number): string {
  return now - time < 60_000 ? 'now' : ageText(now - time);
}

/** Rows as lines with aligned columns, two spaces between them. @param numbers indexes of the columns that stand to the right */
export function table(rows: readonly (readonly string[])[], numbers: readonly number[]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, column) => Math.max(most[column] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] as number;
        return numbers.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
