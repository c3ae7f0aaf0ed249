import type { ReactNode } from 'react';
import { useOwnZone, type Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

/** Names the clock that the times of a page follow, if it is not the reader's own. */
export function ZoneNote({ zone }: { readonly zone: Zone }): ReactNode {
  const words = useWords();
  return useOwnZone() === zone ? null : <p className="hint">{words.times_in(zone)}</p>;
}
