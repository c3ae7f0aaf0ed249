/**
 * A badge held to the reader twice must not undo the stamp: for a while, a second stamp of the same kind only shows the
 * first. In and out are one kind, start and end of a break another.
 */

import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, second } from '@clockproof/platform/time/instant';
import type { StampKind } from '../clock/clock-state.js';
import { findLatestEntry } from '../clock/rows.js';
import { lastTerminalStamp } from '../clock/time-entry.js';
import type { PersonId } from '../store/ids.js';
import type { TerminalRow } from './rows.js';

export interface RecordedStamp {
  readonly action: StampKind;
  readonly at: Instant;
}

const isBreak = (action: StampKind) => action === 'break_start' || action === 'break_end';

export const isSameKind = (a: StampKind, b: StampKind) => isBreak(a) === isBreak(b);

/** The person's last stamp, if it was made at any terminal and this terminal's repeat lock still holds. */
export async function recordedLately(
  reader: Reader,
  terminal: TerminalRow,
  personId: PersonId,
  at: Instant,
): Promise<RecordedStamp | undefined> {
  if (terminal.repeat_lock_seconds === 0) return undefined;
  const entry = await findLatestEntry(reader, personId);
  const last = entry && lastTerminalStamp(entry);
  // A clock that was set back is no reason to wait for it.
  return last !== undefined && Math.abs(at - last.at) < terminal.repeat_lock_seconds * second ? last : undefined;
}
