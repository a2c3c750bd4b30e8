import { useLayoutEffect, useState } from 'preact/hooks';

/** Which rows of a list are there: those in view, and some around them. */
export interface Rows {
  first: number;
  end: number;
  /** Pixels of the rows above and below them. */
  above: number;
  below: number;
}

/** Rows above and below the view: the keyboard goes from one to the next. */
const AROUND = 8;
const USUAL_HEIGHT = 32;

/** @param top pixels from the view's upper edge down to the first row @param focused the row that has the focus, which stays */
export function rowsInView(
  count: number,
  { top, height, viewHeight, focused }: { top: number; height: number; viewHeight: number; focused?: number },
): Rows {
  // In steps, so that not each turn of the wheel changes them.
  const firstInView = Math.floor(-top / height / AROUND) * AROUND;
  const inView = Math.ceil(viewHeight / height / AROUND) * AROUND;
  const clamped = (row: number) => Math.max(0, Math.min(count, row));
  const first = clamped(Math.min(firstInView, focused ?? count) - AROUND);
  const end = clamped(Math.max(firstInView + inView + AROUND, focused ?? 0) + AROUND);
  return { first, end: Math.max(first, end), above: first * height, below: (count - end) * height };
}

/** Keeps the rows of a table to those in view of the window. All rows are of one height, which the style sheet says. */
export function useVisibleRows(table: { readonly current: HTMLTableElement | null }, count: number): Rows {
  const [rows, setRows] = useState<Rows>(() =>
    rowsInView(count, { top: 0, height: USUAL_HEIGHT, viewHeight: innerHeight }),
  );
  useLayoutEffect(() => {
    const look = () => {
      const body = table.current?.tBodies[0];
      const row = body?.querySelector('tr:not(.spacer)');
      if (!body || !row) return;
      const focused = document.activeElement?.closest<HTMLElement>('tr[data-index]')?.dataset.index;
      const next = rowsInView(count, {
        top: body.getBoundingClientRect().top,
        height: row.getBoundingClientRect().height,
        viewHeight: innerHeight,
        ...(focused !== undefined && { focused: Number(focused) }),
      });
      setRows((before) => (isSame(before, next) ? before : next));
    };
    look();
    const ending = new AbortController();
    const { signal } = ending;
    for (const name of ['scroll', 'resize']) window.addEventListener(name, look, { signal, passive: true });
    document.addEventListener('focusin', look, { signal });
    return () => ending.abort();
  }, [table, count]);
  return rows;
}

function isSame(one: Rows, other: Rows): boolean {
  return (
    one.first === other.first &&
    one.end === other.end &&
    one.above === other.above &&
    one.below === other.below
  );
}
