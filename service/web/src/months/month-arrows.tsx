import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.js';
import { useWords } from '../words/words.js';

/** Links to the previous and the next month. */
export function MonthArrows({ onMove }: { readonly onMove: (months: -1 | 1) => void }): ReactNode {
  const words = useWords();
  return (
    <>
      <button type="button" className="button square" aria-label={words.month_before} onClick={() => onMove(-1)}>
        <Icon name="left" />
      </button>
      <button type="button" className="button square" aria-label={words.month_after} onClick={() => onMove(1)}>
        <Icon name="right" />
      </button>
    </>
  );
}
