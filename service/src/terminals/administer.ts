/** Actions of admins on the terminals and badges of their companies. Those of others are not found. */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import { comparableName } from '@clockproof/platform/text/name';
import { readPeopleAccess } from '../extensions/rows.js';
import { type Admin, administeredScope, companyFor, personBelow, personFor } from '../people/administered.js';
import { findDepartment } from '../people/rows.js';
import type { BadgeId, CompanyId, DepartmentId, TerminalId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { DataKey } from '../store/sealing/data-key.js';
import type { Write } from '../store/write.js';
import * as badges from './badges/badges.js';
import { resetPin } from './badges/pin.js';
import { findShownBadge, locksCards, type ShownBadgeRow } from './badges/rows.js';
import * as issuing from './issuing.js';
import { addTerminal, confirmTerminal, type HashCode, issuePairingCode, type NewTerminal } from './pairing.js';
import {
  findShownTerminal,
  forgetFailedProofs,
  lockPairing,
  lockTerminal,
  markRemoved,
  otherTerminalNames,
  type ShownTerminalRow,
  saveDepartments,
  type TerminalOptions,
  updateTerminalRow,
} from './rows.js';

export interface PairingNeeds {
  readonly randomBytes: RandomBytes;
  readonly hashCode: HashCode;
}

/** @throws Refusal `not_found` */
export async function terminalFor(reader: Reader, admin: Admin, id: TerminalId): Promise<ShownTerminalRow> {
  const terminal = await findShownTerminal(reader, administeredScope(admin), id);
  if (terminal === undefined) throw new Refusal('not_found');
  return terminal;
}

/** @throws Refusal `not_found` */
export async function badgeFor(reader: Reader, admin: Admin, id: BadgeId): Promise<ShownBadgeRow> {
  const badge = await findShownBadge(reader, administeredScope(admin), id);
  if (badge === undefined) throw new Refusal('not_found');
  return badge;
}

/**
 * @returns the terminal and its first pairing code, which is shown this one time
 * @throws Refusal `feature_disabled`, `not_found`, `value_taken`, `invalid_request`
 */
export async function registerTerminal(
  write: Write,
  admin: Admin,
  terminal: NewTerminal,
  { randomBytes, hashCode }: PairingNeeds,
): Promise<{ readonly id: string; readonly code: string }> {
  await refuseSwitchedOff(write);
  await companyFor(write, admin, terminal.companyId);
  await lockPairing(write);
  await refuseTakenName(write, terminal.companyId, terminal.name, '');
  await refuseForeignDepartments(write, terminal.companyId, terminal.departments ?? []);
  const id = await addTerminal(write, terminal, randomBytes);
  return { id, code: await issuePairingCode(write, id, terminal.companyId, randomBytes, hashCode) };
}

/** @returns the code. The device's key is forgotten with it. @throws Refusal `feature_disabled`, `not_found` */
export async function replacePairingCode(
  write: Write,
  admin: Admin,
  id: TerminalId,
  { randomBytes, hashCode }: PairingNeeds,
): Promise<string> {
  await refuseSwitchedOff(write);
  const { company_id: companyId } = await terminalFor(write, admin, id);
  return issuePairingCode(write, id, companyId, randomBytes, hashCode);
}

/** @throws Refusal `feature_disabled`, `not_found`, `fingerprint_mismatch` */
export async function acceptTerminal(write: Write, admin: Admin, id: TerminalId, fingerprint: string): Promise<void> {
  await refuseSwitchedOff(write);
  const { company_id: companyId } = await terminalFor(write, admin, id);
  await confirmTerminal(write, id, companyId, fingerprint);
}

export interface TerminalChange extends Partial<TerminalOptions> {
  readonly departments?: readonly DepartmentId[];
}

/** The device learns of it with its next request. @throws Refusal `not_found`, `value_taken`, `invalid_request` */
export async function changeTerminal(
  write: Write,
  admin: Admin,
  id: TerminalId,
  { departments, ...options }: TerminalChange,
): Promise<void> {
  const { company_id: companyId } = await terminalFor(write, admin, id);
  await lockPairing(write);
  await lockTerminal(write, id);
  if (options.name !== undefined) await refuseTakenName(write, companyId, options.name, id);
  if (Object.keys(options).length > 0) await updateTerminalRow(write, id, options);
  if (departments !== undefined) {
    await refuseForeignDepartments(write, companyId, departments);
    await saveDepartments(write, id, departments);
  }
  const details = { ...options, departments };
  await write.audit({ companyId, action: 'terminal.changed', subject: `terminal ${id}`, details });
}

/** Its sessions end with it. Entries stamped there keep its name. @throws Refusal `not_found` */
export async function retireTerminal(write: Write, admin: Admin, id: TerminalId): Promise<void> {
  const { company_id: companyId, name } = await terminalFor(write, admin, id);
  await lockTerminal(write, id);
  await markRemoved(write, id, write.at);
  await write.audit({ companyId, action: 'terminal.removed', subject: `terminal ${id}`, details: { name } });
}

/** It accepts badges again; one that had not stopped stays as it is. @throws Refusal `not_found` */
export async function releaseTerminal(write: Write, admin: Admin, id: TerminalId): Promise<void> {
  const { company_id: companyId, proofs_stopped_at: stoppedAt } = await terminalFor(write, admin, id);
  if (stoppedAt === null) return;
  await lockTerminal(write, id);
  await forgetFailedProofs(write, id);
  await updateTerminalRow(write, id, { proofs_stopped_at: null });
  await write.audit({ companyId, action: 'terminal.proofs_resumed', subject: `terminal ${id}` });
}

/**
 * @throws Refusal `feature_disabled`, `not_found`, `terminal_not_confirmed`, `issuing_not_allowed`,
 * `issuing_in_progress`, `employment_ended`
 */
export async function openIssuing(write: Write, admin: Admin, id: TerminalId, personId: number): Promise<void> {
  await refuseSwitchedOff(write);
  await terminalFor(write, admin, id);
  await issuing.startIssuing(write, id, await personFor(write, admin, personId));
}

/** @throws Refusal `not_found` */
export async function closeIssuing(write: Write, admin: Admin, id: TerminalId): Promise<void> {
  const { company_id: companyId } = await terminalFor(write, admin, id);
  await issuing.cancelIssuing(write, id, companyId);
}

/** @throws Refusal `not_found` */
export async function blockBadgeAsAdmin(
  write: Write,
  admin: Admin,
  id: BadgeId,
  options: { readonly lost?: boolean | undefined },
): Promise<void> {
  await badges.markBadgeBlocked(write, id, (await badgeFor(write, admin, id)).company_id, options);
}

/** @throws Refusal `not_found`, `badge_returned` */
export async function unblockBadgeAsAdmin(write: Write, admin: Admin, id: BadgeId): Promise<void> {
  await badges.unblockBadge(write, id, (await badgeFor(write, admin, id)).company_id);
}

/** @throws Refusal `not_found` */
export async function returnBadgeAsAdmin(write: Write, admin: Admin, id: BadgeId): Promise<void> {
  await badges.returnBadge(write, id, (await badgeFor(write, admin, id)).company_id);
}

/** For cards that are issued from now on. @throws Refusal `not_found` */
export async function setCardLock(write: Write, admin: Admin, companyId: CompanyId, lock: boolean): Promise<void> {
  const { id } = await companyFor(write, admin, companyId);
  if ((await locksCards(write, id)) !== lock) await badges.setCardLock(write, id, lock);
}

/** @throws Refusal `not_found`, `card_key_versions_used_up` */
export async function replaceCardKeys(
  write: Write,
  admin: Admin,
  companyId: CompanyId,
  { dataKey, randomBytes }: { readonly dataKey: DataKey; readonly randomBytes: RandomBytes },
  options: { readonly known?: boolean | undefined },
): Promise<void> {
  await badges.rotateCardKey(write, dataKey, randomBytes, (await companyFor(write, admin, companyId)).id, options);
}

/** @throws Refusal `not_found`, `forbidden` */
export async function resetPinAsAdmin(write: Write, admin: Admin, personId: number): Promise<void> {
  const person = await personBelow(write, admin, personId);
  await resetPin(write, person.id, person.company_id);
}

async function refuseSwitchedOff(reader: Reader): Promise<void> {
  if ((await readPeopleAccess(reader)).terminals === 0) throw new Refusal('feature_disabled');
}

async function refuseTakenName(reader: Reader, companyId: CompanyId, name: string, except: TerminalId): Promise<void> {
  const otherNames = await otherTerminalNames(reader, companyId, except);
  if (otherNames.some((otherName) => comparableName(otherName) === comparableName(name)))
    throw new Refusal('value_taken', {
      details: [{ field: 'name', code: 'taken', error: 'Another terminal of the company has this name.' }],
    });
}

async function refuseForeignDepartments(
  reader: Reader,
  companyId: CompanyId,
  departments: readonly DepartmentId[],
): Promise<void> {
  for (const [index, id] of departments.entries())
    if ((await findDepartment(reader, id, companyId)) === undefined)
      throw invalidField(`department_ids[${index}]`, 'unknown', 'There is no such department in this company.');
}
