import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { seesAll } from '../absences/deciders/approver-scope.js';
import { presentVacation } from '../absences/present.js';
import { readVacationAccount } from '../absences/vacation/vacation-account.js';
import { actionsIn } from '../clock/clock-state.js';
import { listEntriesUnderCorrection } from '../clock/correction-rows.js';
import { hintsAt } from '../clock/forgotten-clock-outs.js';
import { type EntryRow, listClocks, listEntriesWithoutEnd } from '../clock/rows.js';
import { readForgottenEntry } from '../clock/stamp-rows.js';
import { presentClock, presentEntry } from '../clock/time-entry.js';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { countWaitingByKind } from '../inbox/approvals.js';
import { ownScope } from '../people/caller.js';
import type { PersonRow } from '../people/rows.js';
import { readDaysForViewer, readPersonMonths, untrackedMonth } from './person-balance.js';
import { presentDay, presentMonth } from './present.js';

export const showOverview: AppHandler<'showOverview'> = async ({ db, caller, at }) => {
  const { person } = caller;
  const today = localDateAt(at, person.time_zone);
  const [clock] = await listClocks(db, ownScope(caller), {
    state: undefined,
    afterId: 0,
    limit: 1,
  });
  const [day] = await readDaysForViewer(db, person, { from: today, to: today }, at, seesAll);
  const thisMonth = today.slice(0, 7);
  const forgottenEntry = clock!.state === 'out' ? undefined : await readForgottenEntry(db, person, at);
  const month =
    (await readPersonMonths(db, person, thisMonth, at)).at(-1) ?? untrackedMonth(thisMonth, person.opening_minutes);
  const year = Number(today.slice(0, 4));
  const waitingCounts = await countWaitingByKind(db, person.id);
  return {
    status: 200,
    body: {
      clock_state: presentClock(clock!),
      actions: [...actionsIn(clock!.state, forgottenEntry !== undefined)],
      missing_clock_outs: await missingClockOuts(db, person, forgottenEntry),
      today: presentDay(day!, person.language, seesAll),
      month: presentMonth(month),
      tracked_from: person.tracking_start,
      vacation: presentVacation(year, await readVacationAccount(db, person, year, today)),
      waiting_requests: {
        absences: (waitingCounts.get('absence') ?? 0) + (waitingCounts.get('absence_cancellation') ?? 0),
        corrections: waitingCounts.get('correction') ?? 0,
        stamps: waitingCounts.get('offline_stamp') ?? 0,
      },
      warnings: hintsAt(clock!, person, at),
      server_time: formatInstant(at),
    },
  };
};

/** Closed months have none: an entry without a clock-out keeps its month from being closed. */
async function missingClockOuts(
  reader: Reader,
  { id }: PersonRow,
  forgottenEntry: EntryRow | undefined,
): Promise<components['schemas']['MissingClockOut'][]> {
  const entries = (await listEntriesWithoutEnd(reader, id)).filter(
    (entry) => entry.status === 'clock_out_missing' || entry.id === forgottenEntry?.id,
  );
  const waitingEntryIds = new Set(await listEntriesUnderCorrection(reader, id));
  return entries.map((entry) => ({ time_entry: presentEntry(entry), correction_waits: waitingEntryIds.has(entry.id) }));
}
