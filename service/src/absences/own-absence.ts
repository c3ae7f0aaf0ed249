/** Requests from the pages: vacation on days that the person would work. The preview counts free days, as none. */
import { invalidField } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { changeAbsence } from './change-absence.js';
import { requestAbsence } from './request-absence.js';
import type { NamedAbsence } from './rows.js';
import { absenceTypesOf } from './types.js';

/** @throws Refusal as `requestAbsence`; `invalid_request` for vacation on free days */
export async function requestOwnAbsence(
  write: Write,
  request: Parameters<typeof requestAbsence>[1],
): Promise<NamedAbsence> {
  const { absence } = await requestAbsence(write, request);
  return refuseFreeDays(write, absence);
}

/** @throws Refusal as `changeAbsence`; `invalid_request` for vacation on free days */
export async function changeOwnAbsence(
  write: Write,
  change: Parameters<typeof changeAbsence>[1],
): Promise<NamedAbsence> {
  return refuseFreeDays(write, await changeAbsence(write, change));
}

async function refuseFreeDays(write: Write, absence: NamedAbsence): Promise<NamedAbsence> {
  if (absence.half_days > 0) return absence;
  const type = (await absenceTypesOf(write, absence.company_id)).find(({ key }) => key === absence.type);
  if (type?.countsAsVacation !== true) return absence;
  throw invalidField('end_date', 'out_of_range', 'None of these days is a working day.');
}
