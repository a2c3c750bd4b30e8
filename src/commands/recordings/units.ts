/** `3d`, `5h`, `12m`, `7s`: milliseconds in whole units of the largest that fits. */
export function ageText(milliseconds: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
  ] as const;
  const [unit, length] = units.find(([, least]) => milliseconds >= least) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(milliseconds / length))}${unit}`;
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
