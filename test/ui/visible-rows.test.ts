import { describe, expect, it } from 'vitest';
import { rowsInView } from '../../src/ui/visible-rows.ts';

const VIEW = { height: 32, viewHeight: 640 };

describe('the rows in view', () => {
  it.each([
    ['at the top', 1000, { top: 200 }, 0, 32],
    ['in the middle', 1000, { top: -16_000 }, 488, 536],
    ['at the end', 1000, { top: -31_800 }, 984, 1000],
    ['of a short list', 5, { top: 200 }, 0, 5],
    ['of an empty list', 0, { top: 200 }, 0, 0],
    ['past the end of a list that has become shorter', 10, { top: -31_800 }, 2, 10],
    // It keeps the focus, and the rows beside it can be reached.
    ['with the focus far above', 1000, { top: -16_000, focused: 9 }, 1, 536],
    ['with the focus far below', 1000, { top: 200, focused: 700 }, 0, 708],
  ])('%s', (_, count, at, first, end) => {
    expect(rowsInView(count, { ...VIEW, ...at })).toEqual({
      ...{ first, end, above: first * 32, below: (count - end) * 32 },
    });
  });
});
