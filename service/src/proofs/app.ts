import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { readCompanyMonths } from '../months/company-months.js';
import { monthsBetween } from '../months/months.js';
import { actorOf, personReference } from '../people/actor.js';
import { companyFor } from '../people/administered.js';
import { requireFreshFactor } from '../people/caller.js';
import { listNames } from '../people/rows.js';
import { permitOf, presentSince } from '../working-time/evaluations.js';
import { listNewestCommitments } from './anchor-rows.js';
import { closeCompanyMonth, reopenCompanyMonth } from './close-month.js';
import { isOverdue } from './commitment-state.js';
import type { CommitmentRow } from './rows.js';

export const listMonths: AppHandler<'listMonths'> = async ({ db, caller, path: { id }, query: { year }, at }) => ({
  status: 200,
  body: {
    data: await presentMonths(db, (await companyFor(db, caller, id)).id, monthsBetween(`${year}-01`, `${year}-12`), at),
  },
});

export const closeMonth: AppHandler<'closeMonth'> = async ({ db, caller, path: { id, month }, at }) => {
  const company = await companyFor(db, caller, id);
  const step = { companyId: company.id, month, personId: caller.person.id };
  await db.write({ actor: actorOf(caller.person), at }, (write) => closeCompanyMonth(write, step));
  return { status: 200, body: (await presentMonths(db, company.id, [month], at))[0]! };
};

export const reopenMonth: AppHandler<'reopenMonth'> = async ({
  db,
  caller,
  path: { id, month },
  body: { reason },
  at,
}) => {
  requireFreshFactor(caller, at);
  return db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const company = await companyFor(write, caller, id);
    await reopenCompanyMonth(write, {
      companyId: company.id,
      month,
      reason,
      personId: caller.person.id,
    });
    return { status: 200, body: (await presentMonths(write, company.id, [month], at))[0]! };
  });
};

async function presentMonths(
  reader: Reader,
  companyId: number,
  months: readonly string[],
  at: Instant,
): Promise<components['schemas']['CompanyMonth'][]> {
  // Otherwise the number of open entries in the current month would reveal the number of people at work.
  const openUntil = (await permitOf(reader, companyId, 'presence')) === undefined ? presentSince(at) : undefined;
  const commitments = new Map(
    (await listNewestCommitments(reader, { companyId, from: months[0]!, to: months.at(-1)! })).map((row) => [
      row.period,
      row,
    ]),
  );
  const rows = await readCompanyMonths(reader, companyId, months, openUntil);
  const names = await listNames(
    reader,
    rows.flatMap(({ closed: closedRow }) =>
      closedRow?.closed_by === null || closedRow === undefined ? [] : [closedRow.closed_by],
    ),
  );
  return rows.map(({ month, closed: closedRow, reopened: reopening, unfinishedEntries, waitingRequests }) => ({
    month,
    state: closedRow === undefined ? 'open' : 'closed',
    open_entries: unfinishedEntries,
    waiting_requests: waitingRequests,
    closed_at: formatInstant(closedRow?.closed_at),
    closed_by:
      closedRow === undefined || closedRow.closed_by === null ? undefined : personReference(closedRow.closed_by, names),
    commitment: closedRow === undefined ? undefined : presentMonthCommitment(commitments.get(month), at),
    ...(reopening === undefined
      ? {}
      : {
          reopened_at: formatInstant(reopening.at),
          reopen_reason: reopening.reason ?? undefined,
        }),
  }));
}

function presentMonthCommitment(
  row: Pick<CommitmentRow, 'revision' | 'state' | 'made_at'> | undefined,
  at: Instant,
): components['schemas']['MonthCommitment'] | undefined {
  return row && { state: row.state, overdue: isOverdue(row, at), revision: row.revision };
}
