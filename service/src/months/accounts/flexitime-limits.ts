/**
 * The limits of a time account: an upper and a lower one, of the company or of one person. The account never refuses
 * work. If the company wants it, closing a month cuts the minutes above the upper limit.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { keepValues } from '../../people/personal-values.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { invalidField } from '../../store/refusal.js';
import type { Write } from '../../store/write.js';
import {
  type FlexitimeLimitsRow,
  findFlexitimeLimits,
  listFlexitimeLimits,
  saveFlexitimeLimits,
} from './booking-rows.js';

export interface FlexitimeLimits {
  readonly upperMinutes: number | null;
  /** The effect of closing a month on minutes above the upper limit. */
  readonly atUpper: FlexitimeLimitsRow['at_upper'];
  readonly lowerMinutes: number | null;
}

export const noLimits: FlexitimeLimits = { upperMinutes: null, atUpper: 'keep', lowerMinutes: null };

/** The person's own limits, else the company's. */
export async function limitsOf(
  reader: Reader,
  { id, company_id: companyId }: { readonly id: PersonId; readonly company_id: CompanyId },
): Promise<FlexitimeLimits> {
  return (await ownLimits(reader, companyId, id)) ?? (await ownLimits(reader, companyId, null)) ?? noLimits;
}

/** The limits of a person, or of the company if `personId` is null; undefined if there are none. */
export async function ownLimits(
  reader: Reader,
  companyId: CompanyId,
  personId: PersonId | null,
): Promise<FlexitimeLimits | undefined> {
  const row = await findFlexitimeLimits(reader, companyId, personId);
  return row === undefined ? undefined : limitsIn(row);
}

/** The limits of everyone in a company, read in one query. */
export async function limitsInCompany(
  reader: Reader,
  companyId: CompanyId,
): Promise<{ readonly anyCut: boolean; of(personId: PersonId): FlexitimeLimits }> {
  const rows = new Map((await listFlexitimeLimits(reader, companyId)).map((row) => [row.person_id, limitsIn(row)]));
  return {
    anyCut: [...rows.values()].some(({ atUpper }) => atUpper === 'cut'),
    of: (personId) => rows.get(personId) ?? rows.get(null) ?? noLimits,
  };
}

function limitsIn(row: FlexitimeLimitsRow): FlexitimeLimits {
  return { upperMinutes: row.upper_minutes, atUpper: row.at_upper, lowerMinutes: row.lower_minutes };
}

/** Minutes to take away so that a balance keeps to the upper limit. Pure. */
export function aboveLimit({ upperMinutes, atUpper }: FlexitimeLimits, balanceMinutes: number): number {
  return atUpper === 'cut' && upperMinutes !== null ? Math.max(0, balanceMinutes - upperMinutes) : 0;
}

/**
 * Sets the limits of a company, or of a person, who follows the company's again without any. They count from the next
 * closing on.
 *
 * If the process stops before the commit, the earlier limits hold; after it, these, with their entry.
 * @throws Refusal `invalid_request` the lower limit is above the upper one, or there is no limit to cut at
 */
export async function changeFlexitimeLimits(
  write: Write,
  { companyId, personId }: { readonly companyId: CompanyId; readonly personId: PersonId | null },
  limits: FlexitimeLimits | undefined,
): Promise<void> {
  const { upperMinutes = null, atUpper = 'keep', lowerMinutes = null } = limits ?? {};
  if (upperMinutes !== null && lowerMinutes !== null && lowerMinutes > upperMinutes)
    throw invalidField('lower_minutes', 'out_of_range', 'The lower limit is above the upper one.');
  if (upperMinutes === null && atUpper === 'cut')
    throw invalidField('upper_minutes', 'missing', 'Cutting needs an upper limit.');
  // Closing a month locks the same rows before it reads the limits: it comes before this change or sees it.
  await write.lock(personId === null ? { company: companyId } : { people: [personId] });
  const row = { upper_minutes: upperMinutes, at_upper: atUpper, lower_minutes: lowerMinutes };
  await saveFlexitimeLimits(
    write,
    { company_id: companyId, person_id: personId },
    limits === undefined ? undefined : row,
  );
  await write.audit({
    companyId,
    action: 'flexitime_limits.set',
    subject: personId === null ? `company ${companyId}` : `person ${personId}`,
    details: limits === undefined ? {} : personId === null ? row : await keepValues(write, personId, row),
  });
}
