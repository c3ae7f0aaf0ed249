import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';
import { nameOf } from '../../people/actor.js';
import type { PersonId } from '../../store/ids.js';
import type { ShownBadgeRow } from './rows.js';

/** @param viewerId the reader */
export function presentBadge(row: ShownBadgeRow, viewerId: PersonId): components['schemas']['Badge'] {
  const showsUse = row.shows_use === 1 || row.person_id === viewerId;
  const isBlocked = row.state === 'blocked';
  return {
    id: row.id,
    person: { id: row.person_id, name: nameOf(row) },
    company_id: row.company_id,
    state: row.state,
    issued_at: formatInstant(row.issued_at),
    card: row.family ?? undefined,
    issued_at_terminal: row.terminal_name ?? undefined,
    last_used_at: showsUse ? formatInstant(row.last_used_at) : undefined,
    lost: isBlocked ? row.lost === 1 : undefined,
    blocked_at: isBlocked ? formatInstant(row.blocked_at) : undefined,
    blocked_by:
      isBlocked && row.blocked_by !== null && row.blocker_first !== null && row.blocker_last !== null
        ? {
            id: row.blocked_by,
            name: nameOf({ first_name: row.blocker_first, last_name: row.blocker_last }),
          }
        : undefined,
    locked: row.locked === 1,
    key_outdated: row.state !== 'returned' && row.newest_version !== null && row.key_version < row.newest_version,
    returned_at: formatInstant(row.returned_at),
    pin_set: row.pin_set === 1,
    pin_locked_until: formatInstant(row.pin_locked_until),
  };
}
