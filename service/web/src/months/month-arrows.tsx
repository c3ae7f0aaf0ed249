import type { ReactNode } from 'react';
import { plusMonths, useCalendar } from '../parts/calendar.js';
import { Icon } from '../parts/icon.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

/**
 * Buttons to the previous and the next month, none after next year.
 * @param children stands between them
 */
export function MonthArrows({
  month,
  onMove,
  children,
}: {
  readonly month: string;
  readonly onMove: (month: string) => void;
  readonly children?: ReactNode;
}): ReactNode {
  const words = useWords();
  const { today } = useCalendar(useOwnZone());
  const [previous, next] = [plusMonths(month, -1), plusMonths(month, 1)];
  return (
    <>
      <button type="button" className="button square" aria-label={words.month_before} onClick={() => onMove(previous)}>
        <Icon name="left" />
      </button>
      {children}
      <button
        type="button"
        className="button square"
        aria-label={words.month_after}
        disabled={next >= `${Number(today.slice(0, 4)) + 2}-01`}
        onClick={() => onMove(next)}
      >
        <Icon name="right" />
      </button>
    </>
  );
}
