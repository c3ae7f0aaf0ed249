import { calendar } from '@clockproof/platform/time/calendar';
import { recountEveryonesDays } from '../absences/recount-days.js';
import { endLinks } from '../access/oauth/links.js';
import { voidConsents } from '../access/oauth/rows.js';
import { deleteOneTimeLinksOfCompany, endSessionsOfCompany } from '../access/rows.js';
import { moveToZone } from '../clock/zone-change.js';
import { everyone } from '../inbox/notices.js';
import { type Admin, administeredScope, companyFor } from '../people/administered.js';
import { type CompanyChange, type NewCompany, recordCompany, saveCompanyChange } from '../people/people.js';
import { activeSuperAdmins, type CompanyRow, findCompany, lockCompany } from '../people/rows.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { firstOpenDay } from '../working-time/closed-months.js';
import { hasLocalHolidays, isHolidayRegion } from '../working-time/holidays.js';

/** @throws Refusal `value_taken`, `invalid_request` */
export async function addCompany(write: Write, _admin: Admin, company: NewCompany): Promise<CompanyRow> {
  refuseUnknownRegion({ country: company.country, region: company.region ?? null });
  return (await findCompany(write, await recordCompany(write, company)))!;
}

/**
 * Changes a company's settings. Another place has other holidays, so absences in open months are counted again. Holidays
 * of a municipality end with its region.
 * In another time zone, entries in open months move to the date on which they began there.
 * Deactivating ends every personal link, session and one-time link of its people; keys bound to it are refused.
 * @throws Refusal `not_found`, `value_taken`, `invalid_request`, `month_closed`, `last_admin` all super admins work in
 * the company, and nobody could activate it again, `forbidden` only a super admin switches a company on or off, which
 * its own admin could not undo, and only a super admin lets its only admin change their own record
 */
export async function changeCompany(
  write: Write,
  admin: Admin,
  id: number,
  settings: CompanyChange,
): Promise<CompanyRow> {
  const { at } = write;
  const { time_zone: timeZone, active } = settings;
  const { country: toCountry, region: toRegion, local_holidays: toLocal } = settings;
  // Opening a link locks the installation. Another place or time zone concerns the days of everyone.
  const concernsEveryone =
    active === 0 || [timeZone, toCountry, toRegion, toLocal].some((value) => value !== undefined);
  await write.lock({ installation: true, company: id, ...(concernsEveryone ? { everyone: id } : {}) });
  const company = await companyFor(write, admin, id);
  const setsOneAdmin = settings.one_admin !== undefined && settings.one_admin !== company.one_admin;
  if ((active !== undefined || setsOneAdmin) && administeredScope(admin).all !== true) throw new Refusal('forbidden');
  const { country = company.country, region = company.region } = settings;
  refuseUnknownRegion({ country, region });
  if (toLocal != null && !hasLocalHolidays(region, toLocal))
    throw invalidField('local_holidays', 'unknown', 'No municipality of the region has these holidays.');
  const keepsLocalHolidays = company.local_holidays !== null && hasLocalHolidays(region, company.local_holidays);
  const localHolidays = toLocal === undefined ? (keepsLocalHolidays ? company.local_holidays : null) : toLocal;
  const hasMoved = country !== company.country || region !== company.region || localHolidays !== company.local_holidays;
  if (active === 0) {
    // Writes under way keep their company active until they end.
    await lockCompany(write, id);
    await voidConsents(write, { companyId: id }, at);
    await endLinks(write, { companyId: id }, 'company_deactivated');
    // Ended, not only refused: activating the company again signs no one in.
    await endSessionsOfCompany(write, id, at);
    await deleteOneTimeLinksOfCompany(write, id);
  }
  const changedRow = await saveCompanyChange(write, id, { ...settings, local_holidays: localHolidays });
  if (active === 0 && (await activeSuperAdmins(write)).length === 0) throw new Refusal('last_admin');
  // Name, time zone and the settings for colleagues are on everyone's pages.
  write.touch({ family: 'company', company: id, parties: [everyone] });
  if (changedRow.time_zone !== company.time_zone) await moveToZone(write, id, changedRow.time_zone);
  if (hasMoved) await recountEveryonesDays(write, id, (await firstOpenDay(write, id)) ?? calendar.trackedFrom);
  return changedRow;
}

/**
 * @throws Refusal `invalid_request` a region whose holidays are not known: a typo would silently cost people a holiday
 */
function refuseUnknownRegion({ country, region }: { readonly country: string; readonly region: string | null }): void {
  if (region !== null && !isHolidayRegion(country, region))
    throw invalidField(
      'region',
      'unknown',
      'No holidays are known for this region of the country. Leave it out where they are the same everywhere.',
    );
}
