import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import { readCompanyMonths } from '../../balances/company-months.js';
import type { components } from '../../generated/app-types.js';
import { listNames } from '../../people/rows.js';

const nobody = '–';

export async function presentMonths(
  reader: Reader,
  companyId: number,
  months: readonly string[],
): Promise<components['schemas']['CompanyMonth'][]> {
  const rows = await readCompanyMonths(reader, companyId, months);
  const names = await listNames(
    reader,
    rows.flatMap(({ closed }) => (closed?.closed_by === null || closed === undefined ? [] : [closed.closed_by])),
  );
  return rows.map(({ month, closed, reopened, unfinishedEntries, waitingRequests }) => ({
    month,
    state: closed === undefined ? 'open' : 'closed',
    open_entries: unfinishedEntries,
    waiting_requests: waitingRequests,
    ...(closed === undefined ? {} : { closed_at: formatInstant(closed.closed_at) }),
    ...(closed === undefined || closed.closed_by === null
      ? {}
      : { closed_by: { id: closed.closed_by, name: names.get(closed.closed_by) ?? nobody } }),
    ...(reopened === undefined
      ? {}
      : {
          reopened_at: formatInstant(reopened.at),
          ...(reopened.reason === null ? {} : { reopen_reason: reopened.reason }),
        }),
  }));
}
