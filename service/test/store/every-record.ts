/** Writes at least one record into every table that has records, each by its verb. */
import { formatInstant, hour, minute } from '@clockproof/platform/time/instant';
import { decideAbsence } from '../../src/absences/decide-absence.js';
import { seesAll } from '../../src/absences/deciders/approver-scope.js';
import { addSubstitute } from '../../src/absences/deciders/substitutes.js';
import { draftOf } from '../../src/absences/draft.js';
import { requestAbsence } from '../../src/absences/request-absence.js';
import { builtInTypes, saveAbsenceType } from '../../src/absences/types.js';
import { changeApprovalRule, saveVacationPolicy } from '../../src/absences/vacation/policy.js';
import { saveEntitlement } from '../../src/absences/vacation/vacation-account.js';
import { addVacationBooking } from '../../src/absences/vacation/vacation-bookings.js';
import { correctWithNotice, submitCorrection } from '../../src/clock/corrections.js';
import { stamp } from '../../src/clock/stamp.js';
import { addCompanyHoliday } from '../../src/hr/company-holidays.js';
import { changeFlexitimeLimits } from '../../src/months/accounts/flexitime-limits.js';
import { addTimeBooking } from '../../src/months/accounts/time-bookings.js';
import { savePayrollSettings, standardSettings } from '../../src/months/payroll/settings.js';
import { readMonthSheet, signOff } from '../../src/months/sheets/month-sheet.js';
import { findPerson, type PersonRow } from '../../src/people/rows.js';
import { reportAnchorOf } from '../../src/proofs/report-anchor.js';
import { allCompanies } from '../../src/store/every-company.js';
import { noteSigning, sealAll } from '../../src/store/seal.js';
import type { Write } from '../../src/store/write.js';
import { changePersonRecord } from '../../src/working-time/change-person.js';
import { addSchedule } from '../../src/working-time/change-schedule.js';
import { addRuleOfPerson } from '../../src/working-time/change-special-rules.js';
import { setEvaluation } from '../../src/working-time/evaluations.js';
import { closeMonth, hire, recordEntry } from '../builders.js';
import { issueBadge, openDoor } from '../door.js';
import { monday, mondayMinute, type World } from '../world.js';

const system = { kind: 'system' } as const;
const day = 24 * hour;

export const everyRecord = { name: 'every_record', run };

async function run(world: World): Promise<void> {
  const { store } = world.service;
  const { nord, people } = world;
  const write = <Result>(effect: (write: Write) => Promise<Result>) =>
    store.write({ actor: system, at: world.now() }, effect);
  const person = async (id: number) => (await findPerson(world.db, id, allCompanies))!;

  world.set(monday - 40 * day);
  await noteSigning(store, world.now());
  await noteSigning(store, world.now());
  await write(async (tx) => {
    await recordEntry(tx, {
      company_id: nord,
      person_id: people.ben,
      start_at: 1_790_834_400_000,
      end_at: 1_790_838_000_000,
      created_at: 1,
      updated_at: 1,
    });
    await tx.audit({ action: 'entry.corrected', details: { entry: 1 } });
  });
  for (const id of [people.ada, people.ben])
    await write((tx) => changePersonRecord(tx, id, nord, { tracking_start: '2026-10-01', opening_minutes: 90 }));
  const [boss, deputy] = (await Promise.all(
    ['Boss', 'Deputy'].map(async (lastName) =>
      person(
        await write((tx) =>
          hire(tx, {
            companyId: nord,
            firstName: 'Olga',
            lastName,
            role: 'company_admin',
            employmentStart: '2020-01-01',
          }),
        ),
      ),
    ),
  )) as [PersonRow, PersonRow];
  const admin = { person: boss };
  const ada = await person(people.ada);
  await write((tx) =>
    addCompanyHoliday(tx, admin, nord, { date: '2026-12-24', kind: 'half_day', yearly: true, nameEn: 'Christmas Eve' }),
  );

  for (const kind of ['in', 'break_start', 'break_end', 'out'] as const) {
    await write((tx) => stamp(tx, { personId: ada.id, companyId: nord, kind, source: { kind: 'web' } }));
    world.advance(30 * minute);
  }
  const entry = (await world.db.get<{ id: number; start_at: number }>(
    'SELECT id, start_at FROM time_entries WHERE person_id = :id',
    { id: ada.id },
  ))!;
  const entryStart = entry.start_at - (entry.start_at % minute);
  const times = { start: entryStart - minute, end: entryStart + hour, breaks: [] };
  await write((tx) =>
    correctWithNotice(tx, { person: ada, by: boss, draft: { entryId: entry.id, times }, reason: 'Forgot' }),
  );
  for (const date of ['2026-10-20', '2026-12-02'])
    await write((tx) =>
      requestAbsence(tx, {
        personId: ada.id,
        companyId: nord,
        draft: draftOf({ type: 'vacation', start_date: date, end_date: date }),
        author: { kind: 'person', personId: ada.id },
      }),
    );
  await write((tx) => decideAbsence(tx, { id: 1, decision: 'approve', decider: boss }));
  const reason = 'As agreed';
  await write((tx) => changeApprovalRule(tx, admin, ada.id, 'always'));
  await write((tx) => saveAbsenceType(tx, nord, { ...builtInTypes[0]!, color: 'green' }));
  await write((tx) => saveVacationPolicy(tx, admin, nord, { days: 30, carryUntil: '03-31', proRata: 'none' }));
  await write((tx) => saveEntitlement(tx, ada, 2026, { days: 28, carriedDays: 2, carriedUntil: '2026-03-31' }));
  const correction = { kind: 'correction', date: '2026-10-13', reason, by: boss.id } as const;
  await write((tx) => addVacationBooking(tx, ada, { ...correction, days: 1 }));
  await write((tx) => addTimeBooking(tx, ada, { ...correction, minutes: 60 }));
  await write((tx) => addSubstitute(tx, boss, { substituteId: deputy.id }));
  const limits = { upperMinutes: 6_000, atUpper: 'keep', lowerMinutes: -600 } as const;
  for (const personId of [null, ada.id])
    await write((tx) => changeFlexitimeLimits(tx, { companyId: nord, personId }, limits));
  for (const personId of [null, ada.id])
    await write((tx) =>
      addSchedule(tx, { companyId: nord, personId, validFrom: '2026-10-05', week: [480, 480, 480, 480, 480, 0, 0] }),
    );
  await write((tx) =>
    addRuleOfPerson(tx, {
      companyId: nord,
      personId: ada.id,
      kind: 'young',
      validFrom: '2026-10-01',
      validTo: null,
      eveningWork: false,
    }),
  );
  await write((tx) => setEvaluation(tx, { companyId: nord, evaluation: 'presence', enabled: false, by: boss.id }));
  await write((tx) => savePayrollSettings(tx, nord, standardSettings(builtInTypes, 'en')));
  const door = await openDoor(world, 'gate');
  await issueBadge(world, door, ada.id, '04a1a2a3a4a5a6');

  world.set(monday + 40 * day);
  const { digest } = await readMonthSheet(world.db, await person(ada.id), '2026-10', world.now(), seesAll);
  await write((tx) => signOff(tx, { personId: ada.id, month: '2026-10', by: ada, digest }, async () => seesAll));
  await closeMonth(world, { month: '2026-10' });
  const anchor = {
    tx: '7fqJ6T3hVb3mJXy9n6fUuQ3sAtj4sGZq1cB8dEw5kLrP',
    sender: `0x${'4c'.repeat(32)}`,
    package: `0x${'9d'.repeat(32)}`,
    chain: '6364aad5',
  };
  const checks = [{ index: 'https://index.example', verdict: 'match' }] as const;
  await write((tx) => reportAnchorOf(tx, allCompanies, { commitmentId: 1, anchor, checks }));
  await sealAll(store, () => monday);
  world.set(monday);
  // Of a terminal whose clock is ahead.
  const stamps = [1, 2].map((number) => ({
    ...{ number, uid: '04a1a2a3a4a5a6', action: 'in' },
    at: formatInstant(world.now() + number * hour),
  }));
  const answer = await door.send('POST', '/api/v1/terminal/offline', { stamps });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  await write((tx) =>
    submitCorrection(tx, {
      person: ada,
      by: ada,
      draft: { times: { start: mondayMinute - 3 * hour, end: mondayMinute - hour, breaks: [] } },
      reason: 'Phone was empty',
    }),
  );
}
