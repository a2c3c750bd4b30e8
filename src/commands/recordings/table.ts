/**
 * Rows as lines with aligned columns, two spaces between them.
 *
 * @param numbers indexes of the columns that stand to the right
 */
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
