/**
 * A time account never disagrees with a model, whatever is clocked, corrected, booked, cancelled, taken off, closed and
 * opened again. The model keeps what was accepted and adds it up day by day; it shares no code with the service.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { runs } from '@clockproof/platform/testing/runs';
import { parseInstant } from '@clockproof/platform/time/instant';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addSuperAdmin, type Browser } from '../browser.js';
import { createWorld, type World } from '../world.js';

const today = '2026-12-10';
const months = ['2026-09', '2026-10', '2026-11'] as const;
const dayMilliseconds = 86_400_000;
const dateOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);
const addDays = (date: string, days: number) => dateOf(Date.parse(date) + days * dayMilliseconds);
const lastOf = (month: string) => dateOf(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0));

interface Booking {
  readonly id: number;
  readonly date: string;
  readonly minutes: number;
  readonly kind: string;
  readonly cancels?: number;
}
interface Account {
  trackingStart: string;
  opening: number;
  readonly workEntries: Map<number, { readonly date: string; readonly minutes: number }>;
  readonly absences: { readonly date: string; readonly type: string; readonly half: boolean }[];
  readonly bookings: Booking[];
  limit: { readonly upper: number | undefined; readonly cut: boolean } | undefined;
}
interface Model {
  readonly people: Map<number, Account>;
  readonly closedMonths: string[];
  limit: Account['limit'];
}

/** Monday to Friday eight hours; the holidays of these months are Saturdays. */
function targetOn({ absences, trackingStart }: Account, date: string): number {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  if (weekday === 0 || weekday === 6 || date < trackingStart) return 0;
  const creditedAbsences = absences.filter((absence) => absence.date === date && absence.type !== 'home_office');
  return Math.max(0, 480 - creditedAbsences.reduce((sum, { half }) => sum + (half ? 240 : 480), 0));
}

function balanceOn(account: Account, day: string): number {
  let minutes = account.opening;
  for (let date = account.trackingStart; date <= day && date < today; date = addDays(date, 1))
    minutes -= targetOn(account, date);
  for (const entry of account.workEntries.values())
    if (entry.date >= account.trackingStart && entry.date <= day && entry.date < today) minutes += entry.minutes;
  return minutes + sumOf(countedBookings(account).filter(({ date }) => date <= day));
}

const sumOf = (bookings: readonly Booking[]) => bookings.reduce((sum, { minutes }) => sum + minutes, 0);

function countedBookings({ bookings, trackingStart }: Account): Booking[] {
  return bookings.filter(
    ({ date, cancels }) =>
      date >= trackingStart &&
      (cancels === undefined || bookings.find(({ id }) => id === cancels)!.date >= trackingStart),
  );
}

/** A month is closed, or tracked by anyone and before a closed one. Cem is tracked from September on. */
function isClosed({ closedMonths, people }: Model, date: string): boolean {
  const first = [...people.values()]
    .map(({ trackingStart }) => trackingStart)
    .concat('2026-09-01')
    .sort()[0]!;
  const month = date.slice(0, 7);
  return closedMonths.some((closedMonth) => closedMonth === month || (closedMonth > month && first <= lastOf(month)));
}

interface Scene {
  readonly world: World;
  readonly root: Browser;
  readonly model: Model;
  readonly ids: readonly number[];
}
type Step = (scene: Scene) => Promise<unknown>;

const day = fc.integer({ min: 0, max: 105 }).map((days) => addDays('2026-08-28', days));
const anyIndex = fc.integer({ min: 0, max: 1 });
const minutes = fc.integer({ min: -600, max: 600 });

const book = fc
  .record({ personIndex: anyIndex, date: day, minutes, kind: fc.constantFrom('correction', 'payout', 'expiry') })
  .map(
    ({ personIndex, ...body }): Step =>
      async ({ root, model, ids }) => {
        const [id, account] = [ids[personIndex]!, model.people.get(ids[personIndex]!)!];
        const answer = await root.call('POST', `/app/admin/people/${id}/time-bookings`, {
          body: { ...body, reason: 'Some' },
        });
        const valid =
          body.minutes !== 0 &&
          (body.kind === 'correction' || body.minutes < 0) &&
          body.date >= account.trackingStart &&
          body.date <= today;
        expect([body, answer.status]).toEqual([body, !valid ? 400 : isClosed(model, body.date) ? 409 : 201]);
        if (answer.status !== 201) return;
        account.bookings.push({ id: answer.body['id'] as number, ...body });
        expect(answer.body['balance_minutes']).toBe(balanceOn(account, today));
      },
  );

const cancel = fc.record({ personIndex: anyIndex, position: fc.nat({ max: 20 }), date: day }).map(
  ({ personIndex, position, date }): Step =>
    async ({ root, model, ids }) => {
      const [id, account] = [ids[personIndex]!, model.people.get(ids[personIndex]!)!];
      const booking = account.bookings[position % Math.max(1, account.bookings.length)];
      if (booking === undefined) return;
      const answer = await root.call('POST', `/app/admin/people/${id}/time-bookings/${booking.id}/cancellation`, {
        body: { date, reason: 'Wrong' },
      });
      const isCancelled =
        booking.cancels !== undefined || account.bookings.some(({ cancels }) => cancels === booking.id);
      const expectedStatus =
        date < account.trackingStart || date > today
          ? 400
          : isClosed(model, date) || isCancelled || booking.date < account.trackingStart
            ? 409
            : date < booking.date
              ? 400
              : 201;
      expect([date, booking, answer.status]).toEqual([date, booking, expectedStatus]);
      if (answer.status === 201)
        account.bookings.push({
          id: answer.body['id'] as number,
          date,
          minutes: -booking.minutes,
          kind: 'cancellation',
          cancels: booking.id,
        });
    },
);

const recordWork = fc
  .record({
    personIndex: anyIndex,
    date: day,
    from: fc.integer({ min: 5, max: 12 }),
    minutes: fc.integer({ min: 1, max: 600 }),
  })
  .map(
    ({ personIndex, date, from, minutes: length }): Step =>
      async ({ root, model, ids }) => {
        const id = ids[personIndex]!;
        const start = Date.parse(`${date}T${String(from).padStart(2, '0')}:00:00Z`);
        const answer = await root.call('POST', `/app/people/${id}/corrections`, {
          body: {
            start: new Date(start).toISOString(),
            end: new Date(start + length * 60_000).toISOString(),
            breaks: [],
            reason: 'Forgot',
          },
        });
        if (answer.status !== 201) return;
        expect(isClosed(model, date)).toBe(false);
        const entry = answer.body['entry_id'] as number;
        model.people.get(id)!.workEntries.set(entry, { date, minutes: length });
      },
  );

const removeEntry = fc.record({ personIndex: anyIndex, position: fc.nat({ max: 20 }) }).map(
  ({ personIndex, position }): Step =>
    async ({ root, model, ids }) => {
      const [id, account] = [ids[personIndex]!, model.people.get(ids[personIndex]!)!];
      const [entry, { date }] = [...account.workEntries][position % Math.max(1, account.workEntries.size)] ?? [
        undefined,
        { date: '' },
      ];
      if (entry === undefined) return;
      const body = { entry_id: entry, remove: true, reason: 'Twice' };
      const answer = await root.call('POST', `/app/people/${id}/corrections`, { body });
      expect([date, answer.status]).toEqual([date, isClosed(model, date) ? 409 : 201]);
      if (answer.status === 201) account.workEntries.delete(entry);
    },
);

const recordAbsence = fc
  .record({
    personIndex: anyIndex,
    date: day,
    type: fc.constantFrom('sickness', 'vacation', 'home_office'),
    half: fc.boolean(),
  })
  .map(
    ({ personIndex, date, type, half }): Step =>
      async ({ root, model, ids }) => {
        const account = model.people.get(ids[personIndex]!)!;
        const answer = await root.call('POST', `/app/people/${ids[personIndex]!}/absences`, {
          body: { type, start_date: date, end_date: date, ...(half ? { half_day: 'morning' } : {}) },
        });
        if (answer.status !== 201) return;
        expect([date, isClosed(model, date)]).toEqual([date, false]);
        account.absences.push({ date, type, half });
      },
  );

const opening = fc.record({ personIndex: anyIndex, date: day, balance_minutes: minutes }).map(
  ({ personIndex, ...body }): Step =>
    async ({ root, model, ids }) => {
      const account = model.people.get(ids[personIndex]!)!;
      const answer = await root.call('PUT', `/app/admin/people/${ids[personIndex]!}/opening-balance`, { body });
      if (answer.status === 200) [account.trackingStart, account.opening] = [body.date, body.balance_minutes];
    },
);

const limits = fc
  .record({
    personIndex: fc.integer({ min: 0, max: 2 }),
    upper: fc.option(minutes, { nil: undefined }),
    cut: fc.boolean(),
    unlimited: fc.boolean(),
  })
  .map(
    ({ personIndex, upper, cut, unlimited }): Step =>
      async ({ world, root, model, ids }) => {
        const path = personIndex === 2 ? `companies/${world.nord}` : `people/${ids[personIndex]!}`;
        const body = unlimited
          ? {}
          : { ...(upper === undefined ? {} : { upper_minutes: upper }), at_upper: cut ? 'cut' : 'keep' };
        const answer = await root.call('PUT', `/app/admin/${path}/flexitime-limits`, { body });
        expect([body, answer.status]).toEqual([body, !unlimited && cut && upper === undefined ? 400 : 200]);
        if (answer.status !== 200) return;
        const limit = unlimited ? undefined : { upper, cut };
        if (personIndex === 2) model.limit = limit;
        else model.people.get(ids[personIndex]!)!.limit = limit;
      },
  );

const closing = fc.constantFrom(...months).map(
  (month): Step =>
    async ({ world, root, model }) => {
      const answer = await root.call('POST', `/app/admin/companies/${world.nord}/months/${month}/close`);
      if (answer.status !== 200) return;
      model.closedMonths.push(month);
      const day = lastOf(month);
      const storedCaps = await world.db.all<Booking & { person_id: number }>(
        "SELECT id, person_id, kind, date, minutes FROM time_bookings WHERE kind = 'cap' AND date = :day AND id NOT IN (SELECT cancels FROM time_bookings WHERE cancels IS NOT NULL)",
        { day },
      );
      for (const [id, account] of model.people) {
        const { upper, cut } = account.limit ?? model.limit ?? { upper: undefined, cut: false };
        const excess =
          !cut || upper === undefined || account.trackingStart > day ? 0 : Math.max(0, balanceOn(account, day) - upper);
        const knownIds = new Set(account.bookings.map((booking) => booking.id));
        const caps = storedCaps.filter((row) => row.person_id === id && !knownIds.has(row.id));
        expect([month, id, sumOf(caps)]).toEqual([month, id, excess === 0 ? 0 : -excess]);
        account.bookings.push(...caps.map(({ person_id: _, ...cap }) => cap));
      }
    },
);

const reopening = fc.constantFrom(...months).map(
  (month): Step =>
    async ({ world, root, model }) => {
      const answer = await root.call('POST', `/app/admin/companies/${world.nord}/months/${month}/reopen`, {
        body: { reason: 'Late' },
      });
      if (answer.status !== 200) return;
      model.closedMonths.splice(model.closedMonths.indexOf(month), 1);
      for (const account of model.people.values())
        for (const cap of [...account.bookings].filter(({ kind, date }) => kind === 'cap' && date === lastOf(month))) {
          const counter = await world.db.get<Booking>(
            'SELECT id, kind, date, minutes, cancels FROM time_bookings WHERE cancels = :id',
            { id: cap.id },
          );
          // Every cap is cancelled now: by this, or before by somebody.
          expect(counter).toMatchObject({ minutes: -cap.minutes });
          if (!account.bookings.some(({ id }) => id === counter!.id)) account.bookings.push(counter!);
        }
    },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: book, weight: 4 },
  { arbitrary: recordWork, weight: 4 },
  { arbitrary: recordAbsence, weight: 2 },
  { arbitrary: closing, weight: 3 },
  cancel,
  removeEntry,
  opening,
  limits,
  reopening,
);

async function createScene(): Promise<Scene> {
  const world = await createWorld('sqlite');
  world.set(parseInstant(`${today}T08:00:00Z`)!);
  const boss = await addSuperAdmin(world);
  const { ada, ben, cem } = world.people;
  await world.db.write((tx) =>
    tx.run("UPDATE people SET tracking_start = '2026-09-01', employment_start = NULL WHERE id IN (:ada, :ben)", {
      ada,
      ben,
    }),
  );
  // His account would have to begin before the months that are closed.
  await world.db.write((tx) => tx.run("UPDATE people SET tracking_start = '2026-09-01' WHERE id = :cem", { cem }));
  const emptyAccount = (): Account => ({
    trackingStart: '2026-09-01',
    opening: 0,
    workEntries: new Map(),
    absences: [],
    bookings: [],
    limit: undefined,
  });
  const model: Model = {
    people: new Map([
      [ada, emptyAccount()],
      [ben, emptyAccount()],
    ]),
    closedMonths: [],
    limit: undefined,
  };
  return { world, root: await world.as(boss), model, ids: [ada, ben] };
}

/** What the service says of a day, by every door, beside what the model says. */
async function compare({ world, root, model, ids }: Scene, date: string): Promise<void> {
  const trackedIds = ids.filter((id) => model.people.get(id)!.trackingStart <= date);
  const expectedBalances = trackedIds.map((id) => [id, balanceOn(model.people.get(id)!, date)]);
  const answer = await world.call('GET', `/api/v1/time/balances?date=${date}&company_id=${world.nord}`, {
    key: world.auditor.key,
  });
  const rows = answer.body['data'] as { user_id: number; balance_minutes: number }[];
  expect([
    date,
    rows.filter(({ user_id: id }) => ids.includes(id)).map(({ user_id: id, balance_minutes: sum }) => [id, sum]),
  ]).toEqual([date, expectedBalances]);
  for (const [id, balance] of expectedBalances) {
    const path = `/app/people/${id}/time-account?from=${addDays(date, -40)}&to=${date}`;
    const account = (await root.call('GET', path)).body as { balance_minutes: number; opening_minutes: number };
    const dayBefore = addDays(date, -41);
    const { trackingStart, opening: openingMinutes } = model.people.get(id as number)!;
    const start = dayBefore < trackingStart ? openingMinutes : balanceOn(model.people.get(id as number)!, dayBefore);
    expect([date, account.opening_minutes, account.balance_minutes]).toEqual([date, start, balance]);
  }
}

async function compareMonths({ root, world, model, ids }: Scene): Promise<void> {
  for (const month of months) {
    const report = await root.call('GET', `/app/reports/months?company_id=${world.nord}&month=${month}`);
    const lines = report.body['data'] as { person: { id: number }; balance: { balance_minutes: number } }[];
    for (const { person, balance } of lines.filter((line) => ids.includes(line.person.id)))
      expect([month, person.id, balance.balance_minutes]).toEqual([
        month,
        person.id,
        balanceOn(model.people.get(person.id)!, lastOf(month)),
      ]);
  }
}

async function run(steps: readonly Step[], days: readonly string[]): Promise<void> {
  const scene = await createScene();
  try {
    for (const [index, runStep] of steps.entries()) {
      await runStep(scene);
      await compare(scene, days[index % days.length]!);
    }
    for (const date of days) await compare(scene, date);
    await compareMonths(scene);
  } finally {
    await scene.world.close();
  }
}

const onSqlite = oneDialect.includes('sqlite') ? describe : describe.skip;

onSqlite('a time account on sqlite', () => {
  it('the account equals the model on any day, after any change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 20, maxLength: 40 }),
        fc.array(day, { minLength: 5, maxLength: 8 }),
        run,
      ),
      { numRuns: runs(2), seed: 2_026, endOnFailure: true },
    );
  });
});
