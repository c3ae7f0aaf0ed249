/** Placeholder while an answer is pending: nothing for 200 ms, then the shape of rows (frame.css). */
import type { ReactNode } from 'react';
import { useWords } from '../words/words.js';

/** @param rows number of 36 px lines that the page reserves */
export function Skeleton({ rows = 4 }: { readonly rows?: number }): ReactNode {
  const words = useWords();
  return (
    <div className="skeleton" role="status" aria-label={words.loading} aria-busy="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <i key={row} />
      ))}
    </div>
  );
}
