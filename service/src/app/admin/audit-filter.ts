import { addDays, daysInclusive, startOfDay } from '@clockproof/platform/time/local-date';
import { invalid } from '../../api/page.js';
import type { AuditFilter } from '../../audit/rows.js';
import { Refusal } from '../../refusal.js';
import { administeredCompany, type PersonCaller } from '../caller.js';

const maxDays = 366;

/**
 * What an admin asked to see, within what they may: a company admin their company, a super admin everything. Days are
 * those on the admin's own clock.
 * @throws Refusal `invalid_request` backwards or more than 366 days, `not_found` another company
 */
export function auditFilterOf(
  caller: PersonCaller,
  query: { from: string; to: string; company_id?: number; user_id?: number; actor_id?: string; action?: string },
): AuditFilter {
  const { from, to, company_id: asked } = query;
  if (to < from) throw invalid('to', 'The period ends before it begins.', 'out_of_range');
  if (daysInclusive(from, to) > maxDays) throw invalid('to', `A period has at most ${maxDays} days.`, 'out_of_range');
  const own = administeredCompany(caller);
  if (asked !== undefined && own !== null && asked !== own) throw new Refusal('not_found');
  const zone = caller.person.time_zone;
  return {
    companyId: own ?? asked ?? null,
    from: startOfDay(from, zone),
    before: startOfDay(addDays(to, 1), zone),
    personId: query.user_id,
    actorId: query.actor_id,
    action: query.action,
  };
}
