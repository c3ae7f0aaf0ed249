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
    ...(row.location === null ? {} : { location: row.location }),
    company_id: row.company_id,
    state:
      row.confirmed_at !== null ? 'confirmed' : row.public_key !== null ? 'awaiting_confirmation' : 'awaiting_pairing',
    ...(row.fingerprint === null ? {} : { fingerprint: row.fingerprint }),
    ...(row.device === null ? {} : { device: row.device }),
    departments: await departmentsOf(reader, row.id),
    show_info: row.show_info === 1,
    info_without_pin: row.info_without_pin === 1,
    badge_and_pin: row.badge_and_pin === 1,
    repeat_lock_seconds: row.repeat_lock_seconds,
    issuing_allowed: row.issuing_allowed === 1,
    ...(codeIsOpen ? { pairing_code_expires_at: formatInstant(row.code_expires_at) } : {}),
    ...(row.confirmed_at === null ? {} : { confirmed_at: formatInstant(row.confirmed_at) }),
    ...(row.confirmed_by === null || row.confirmed_first === null || row.confirmed_last === null
      ? {}
      : {
          confirmed_by: {
            id: row.confirmed_by,
            name: nameOf({ first_name: row.confirmed_first, last_name: row.confirmed_last }),
          },
        }),
    ...(row.proofs_stopped_at === null ? {} : { proofs_stopped_at: formatInstant(row.proofs_stopped_at) }),
    ...(row.key_copied_at === null ? {} : { key_copied_at: formatInstant(row.key_copied_at) }),
    ...(row.last_seen_at === null ? {} : { last_seen_at: formatInstant(row.last_seen_at) }),
    ...(row.agent_version === null ? {} : { agent_version: row.agent_version }),
    ...(row.reader === null ? {} : { reader: row.reader }),
    ...(row.reader_state === null ? {} : { reader_state: row.reader_state }),
    ...(row.clock_offset_ms === null ? {} : { clock_offset_ms: row.clock_offset_ms }),
    ...(row.offline_waiting === null ? {} : { offline_waiting: row.offline_waiting }),
    ...(row.fingerprint === null
      ? {}
      : { offline_last_number: await highestNumber(reader, { terminalId: row.id, fingerprint: row.fingerprint }) }),
    created_at: formatInstant(row.created_at),
  };
}

type Issuing = NonNullable<Awaited<ReturnType<typeof findIssuing>>>;

/** @param viewerId who reads it */
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
    ...(row.card_at === null ? {} : { card_at: formatInstant(row.card_at) }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(badge?.family == null ? {} : { card: badge.family }),
    ...(badge === undefined ? {} : { badge: presentBadge(badge, viewerId) }),
  };
}
