/** Rows as lines with aligned columns, two spaces between them. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, column) => Math.max(most[column] ?? 0, cell.length)),
    [],
  );
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] as number));
  return rows.map((row) => line(row).join('  ').trimEnd());
}
