import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import { nameOf } from '../people/actor.js';
import type { PersonId } from '../store/ids.js';
import { presentBadge } from './badges/present.js';
import { findShownBadge } from './badges/rows.js';
import { highestNumber } from './offline-rows.js';
import { departmentsOf, type findIssuing, type ShownTerminalRow } from './rows.js';

type Schemas = components['schemas'];

export async function presentTerminal(
  reader: Reader,
  row: ShownTerminalRow,
  at: Instant,
): Promise<Schemas['Terminal']> {
  const codeIsOpen = row.code_expires_at !== null && row.code_expires_at > at;
  return {
    id: row.id,
    name: row.name,
    location: row.location ?? undefined,
    company_id: row.company_id,
    state:
      row.confirmed_at !== null ? 'confirmed' : row.public_key !== null ? 'awaiting_confirmation' : 'awaiting_pairing',
    fingerprint: row.fingerprint ?? undefined,
    device: row.device ?? undefined,
    departments: await departmentsOf(reader, row.id),
    show_info: row.show_info === 1,
    info_without_pin: row.info_without_pin === 1,
    badge_and_pin: row.badge_and_pin === 1,
    repeat_lock_seconds: row.repeat_lock_seconds,
    issuing_allowed: row.issuing_allowed === 1,
    pairing_code_expires_at: codeIsOpen ? formatInstant(row.code_expires_at) : undefined,
    confirmed_at: formatInstant(row.confirmed_at),
    confirmed_by:
      row.confirmed_by === null || row.confirmed_first === null || row.confirmed_last === null
        ? undefined
        : {
            id: row.confirmed_by,
            name: nameOf({ first_name: row.confirmed_first, last_name: row.confirmed_last }),
          },
    proofs_stopped_at: formatInstant(row.proofs_stopped_at),
    key_copied_at: formatInstant(row.key_copied_at),
    last_seen_at: formatInstant(row.last_seen_at),
    agent_version: row.agent_version ?? undefined,
    reader: row.reader ?? undefined,
    reader_state: row.reader_state ?? undefined,
    clock_offset_ms: row.clock_offset_ms ?? undefined,
    offline_waiting: row.offline_waiting ?? undefined,
    offline_last_number:
      row.fingerprint === null
        ? undefined
        : await highestNumber(reader, { terminalId: row.id, fingerprint: row.fingerprint }),
    created_at: formatInstant(row.created_at),
  };
}

type Issuing = NonNullable<Awaited<ReturnType<typeof findIssuing>>>;

/** @param viewerId the reader */
export async function presentIssuing(
  reader: Reader,
  row: Issuing,
  { viewerId, at }: { readonly viewerId: PersonId; readonly at: Instant },
): Promise<Schemas['Issuing']> {
  const isOver = row.state === 'issued' || row.state === 'cancelled';
  const badge = row.badge_id === null ? undefined : await findShownBadge(reader, { all: true }, row.badge_id);
  return {
    terminal_id: row.terminal_id,
    person: { id: row.person_id, name: nameOf(row) },
    state: !isOver && row.expires_at <= at ? 'expired' : row.state,
    started_at: formatInstant(row.started_at),
    expires_at: formatInstant(row.expires_at),
    card_at: formatInstant(row.card_at),
    reason: row.reason ?? undefined,
    card: badge?.family ?? undefined,
    badge: badge === undefined ? undefined : presentBadge(badge, viewerId),
  };
}
