import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';
import { nameOf } from '../../people/actor.js';
import type { PersonId } from '../../store/ids.js';
import type { ShownBadgeRow } from './rows.js';

/** @param viewerId who reads it */
export function presentBadge(row: ShownBadgeRow, viewerId: PersonId): components['schemas']['Badge'] {
  const showsUse = row.shows_use === 1 || row.person_id === viewerId;
  const blocked = row.state === 'blocked';
  return {
    id: row.id,
    person: { id: row.person_id, name: nameOf(row) },
    company_id: row.company_id,
    state: row.state,
    issued_at: formatInstant(row.issued_at),
    ...(row.family === null ? {} : { card: row.family }),
    ...(row.terminal_name === null ? {} : { issued_at_terminal: row.terminal_name }),
    ...(row.last_used_at === null || !showsUse ? {} : { last_used_at: formatInstant(row.last_used_at) }),
    ...(blocked ? { lost: row.lost === 1 } : {}),
    ...(blocked && row.blocked_at !== null ? { blocked_at: formatInstant(row.blocked_at) } : {}),
    ...(blocked && row.blocked_by !== null && row.blocker_first !== null && row.blocker_last !== null
      ? {
          blocked_by: {
            id: row.blocked_by,
            name: nameOf({ first_name: row.blocker_first, last_name: row.blocker_last }),
          },
        }
      : {}),
    locked: row.locked === 1,
    key_outdated: row.state !== 'returned' && row.newest_version !== null && row.key_version < row.newest_version,
    ...(row.returned_at === null ? {} : { returned_at: formatInstant(row.returned_at) }),
    ...(row.pin_locked_until === null ? {} : { pin_locked_until: formatInstant(row.pin_locked_until) }),
  };
}
