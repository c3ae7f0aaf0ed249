/**
 * The drawn rows of a long list: those in sight and some around them, in steps. Rows have one height. A short list is
 * drawn whole, so that it can be searched and printed.
 */
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { rowsBetween, step } from './rows-between.js';

/** Lists up to this length are drawn whole. */
const maxWholeCount = 150;

export interface RowsInSight<Box extends HTMLElement> {
  /** The box around the rows and the room of those that are not drawn. */
  readonly box: RefObject<Box | null>;
  /** The first row that is drawn, and the first behind them that is not. */
  readonly from: number;
  readonly to: number;
  /** Room of the rows above and below. Pixels. */
  readonly above: number;
  readonly below: number;
}

/**
 * @param count of all rows
 * @param height of a row before one is drawn; later the first drawn row is measured
 */
export function useVisibleRows<Box extends HTMLElement>(count: number, height: number): RowsInSight<Box> {
  const box = useRef<Box>(null);
  const [{ from, to, row }, setSeen] = useState({ from: 0, to: 6 * step, row: height });
  const isLong = count > maxWholeCount;
  useLayoutEffect(() => {
    if (!isLong) return;
    let frameRequest: number | undefined;
    const look = () => {
      frameRequest = undefined;
      const { current } = box;
      if (current === null) return;
      const drawnHeight = current.querySelector<HTMLElement>('[data-row]')?.offsetHeight ?? 0;
      const rowHeight = drawnHeight > 0 ? drawnHeight : height;
      const visibleRows = rowsBetween(-current.getBoundingClientRect().top, window.innerHeight, rowHeight);
      setSeen((previousRows) =>
        previousRows.from === visibleRows.from && previousRows.to === visibleRows.to && previousRows.row === rowHeight
          ? previousRows
          : { ...visibleRows, row: rowHeight },
      );
    };
    const requestLook = () => {
      frameRequest ??= requestAnimationFrame(look);
    };
    look();
    // Listen to every scrolling box around the list.
    document.addEventListener('scroll', requestLook, { capture: true, passive: true });
    window.addEventListener('resize', requestLook);
    return () => {
      document.removeEventListener('scroll', requestLook, { capture: true });
      window.removeEventListener('resize', requestLook);
      if (frameRequest !== undefined) cancelAnimationFrame(frameRequest);
    };
  }, [isLong, height]);
  if (!isLong) return { box, from: 0, to: count, above: 0, below: 0 };
  const last = Math.min(to, count);
  const first = Math.max(0, Math.min(from, last - step));
  return { box, from: first, to: last, above: first * row, below: (count - last) * row };
}

/** The space that the undrawn rows of a table take. */
export function Spacer({ height }: { readonly height: number }): ReactNode {
  return height === 0 ? null : (
    <tr style={{ height }}>
      <td />
    </tr>
  );
}
