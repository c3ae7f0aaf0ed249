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
const after = (date: string, days: number) => dateOf(Date.parse(date) + days * dayMilliseconds);
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
  readonly worked: Map<number, { readonly date: string; readonly minutes: number }>;
  readonly absences: { readonly date: string; readonly type: string; readonly half: boolean }[];
  readonly bookings: Booking[];
  limit: { readonly upper: number | undefined; readonly cut: boolean } | undefined;
}
interface Model {
  readonly people: Map<number, Account>;
  readonly closed: string[];
  limit: Account['limit'];
}

/** Monday to Friday eight hours; the holidays of these months are Saturdays. */
function targetOn({ absences, trackingStart }: Account, date: string): number {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  if (weekday === 0 || weekday === 6 || date < trackingStart) return 0;
  const credited = absences.filter((one) => one.date === date && one.type !== 'home_office');
  return Math.max(0, 480 - credited.reduce((sum, { half }) => sum + (half ? 240 : 480), 0));
}

function balanceOn(account: Account, day: string): number {
  let minutes = account.opening;
  for (let date = account.trackingStart; date <= day && date < today; date = after(date, 1))
    minutes -= targetOn(account, date);
  for (const one of account.worked.values())
    if (one.date >= account.trackingStart && one.date <= day && one.date < today) minutes += one.minutes;
  return minutes + sumOf(counted(account).filter(({ date }) => date <= day));
}

const sumOf = (bookings: readonly Booking[]) => bookings.reduce((sum, { minutes }) => sum + minutes, 0);

function counted({ bookings, trackingStart }: Account): Booking[] {
  return bookings.filter(
    ({ date, cancels }) =>
      date >= trackingStart &&
      (cancels === undefined || bookings.find(({ id }) => id === cancels)!.date >= trackingStart),
  );
}

/** A month is closed, or tracked by anyone and before a closed one. Cem is tracked from September on. */
function isClosed({ closed, people }: Model, date: string): boolean {
  const first = [...people.values()]
    .map(({ trackingStart }) => trackingStart)
    .concat('2026-09-01')
    .sort()[0]!;
  const month = date.slice(0, 7);
  return closed.some((one) => one === month || (one > month && first <= lastOf(month)));
}

interface Scene {
  readonly world: World;
  readonly root: Browser;
  readonly model: Model;
  readonly ids: readonly number[];
}
type Step = (scene: Scene) => Promise<unknown>;

const day = fc.integer({ min: 0, max: 105 }).map((days) => after('2026-08-28', days));
const someone = fc.integer({ min: 0, max: 1 });
const minutes = fc.integer({ min: -600, max: 600 });

const book = fc
  .record({ who: someone, date: day, minutes, kind: fc.constantFrom('correction', 'payout', 'expiry') })
  .map(
    ({ who, ...body }): Step =>
      async ({ root, model, ids }) => {
        const [id, account] = [ids[who]!, model.people.get(ids[who]!)!];
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

const cancel = fc.record({ who: someone, which: fc.nat({ max: 20 }), date: day }).map(
  ({ who, which, date }): Step =>
    async ({ root, model, ids }) => {
      const [id, account] = [ids[who]!, model.people.get(ids[who]!)!];
      const booking = account.bookings[which % Math.max(1, account.bookings.length)];
      if (booking === undefined) return;
      const answer = await root.call('POST', `/app/admin/people/${id}/time-bookings/${booking.id}/cancellation`, {
        body: { date, reason: 'Wrong' },
      });
      const again = booking.cancels !== undefined || account.bookings.some(({ cancels }) => cancels === booking.id);
      const expected =
        date < account.trackingStart || date > today
          ? 400
          : isClosed(model, date) || again || booking.date < account.trackingStart
            ? 409
            : date < booking.date
              ? 400
              : 201;
      expect([date, booking, answer.status]).toEqual([date, booking, expected]);
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

const clocked = fc
  .record({ who: someone, date: day, from: fc.integer({ min: 5, max: 12 }), minutes: fc.integer({ min: 1, max: 600 }) })
  .map(
    ({ who, date, from, minutes: long }): Step =>
      async ({ root, model, ids }) => {
        const id = ids[who]!;
        const start = Date.parse(`${date}T${String(from).padStart(2, '0')}:00:00Z`);
        const answer = await root.call('POST', `/app/people/${id}/corrections`, {
          body: {
            start: new Date(start).toISOString(),
            end: new Date(start + long * 60_000).toISOString(),
            breaks: [],
            reason: 'Forgot',
          },
        });
        if (answer.status !== 201) return;
        expect(isClosed(model, date)).toBe(false);
        const entry = answer.body['entry_id'] as number;
        model.people.get(id)!.worked.set(entry, { date, minutes: long });
      },
  );

const struckOut = fc.record({ who: someone, which: fc.nat({ max: 20 }) }).map(
  ({ who, which }): Step =>
    async ({ root, model, ids }) => {
      const [id, account] = [ids[who]!, model.people.get(ids[who]!)!];
      const [entry, { date }] = [...account.worked][which % Math.max(1, account.worked.size)] ?? [
        undefined,
        { date: '' },
      ];
      if (entry === undefined) return;
      const body = { entry_id: entry, remove: true, reason: 'Twice' };
      const answer = await root.call('POST', `/app/people/${id}/corrections`, { body });
      expect([date, answer.status]).toEqual([date, isClosed(model, date) ? 409 : 201]);
      if (answer.status === 201) account.worked.delete(entry);
    },
);

const away = fc
  .record({ who: someone, date: day, type: fc.constantFrom('sickness', 'vacation', 'home_office'), half: fc.boolean() })
  .map(
    ({ who, date, type, half }): Step =>
      async ({ root, model, ids }) => {
        const account = model.people.get(ids[who]!)!;
        const answer = await root.call('POST', `/app/people/${ids[who]!}/absences`, {
          body: { type, start_date: date, end_date: date, ...(half ? { half_day: 'morning' } : {}) },
        });
        if (answer.status !== 201) return;
        expect([date, isClosed(model, date)]).toEqual([date, false]);
        account.absences.push({ date, type, half });
      },
  );

const opening = fc.record({ who: someone, date: day, balance_minutes: minutes }).map(
  ({ who, ...body }): Step =>
    async ({ root, model, ids }) => {
      const account = model.people.get(ids[who]!)!;
      const answer = await root.call('PUT', `/app/admin/people/${ids[who]!}/opening-balance`, { body });
      if (answer.status === 200) [account.trackingStart, account.opening] = [body.date, body.balance_minutes];
    },
);

const limits = fc
  .record({
    who: fc.integer({ min: 0, max: 2 }),
    upper: fc.option(minutes, { nil: undefined }),
    cut: fc.boolean(),
    none: fc.boolean(),
  })
  .map(
    ({ who, upper, cut, none }): Step =>
      async ({ world, root, model, ids }) => {
        const path = who === 2 ? `companies/${world.nord}` : `people/${ids[who]!}`;
        const body = none
          ? {}
          : { ...(upper === undefined ? {} : { upper_minutes: upper }), at_upper: cut ? 'cut' : 'keep' };
        const answer = await root.call('PUT', `/app/admin/${path}/flexitime-limits`, { body });
        expect([body, answer.status]).toEqual([body, !none && cut && upper === undefined ? 400 : 200]);
        if (answer.status !== 200) return;
        const limit = none ? undefined : { upper, cut };
        if (who === 2) model.limit = limit;
        else model.people.get(ids[who]!)!.limit = limit;
      },
  );

const closing = fc.constantFrom(...months).map(
  (month): Step =>
    async ({ world, root, model }) => {
      const answer = await root.call('POST', `/app/admin/companies/${world.nord}/months/${month}/close`);
      if (answer.status !== 200) return;
      model.closed.push(month);
      const day = lastOf(month);
      const made = await world.db.all<Booking & { person_id: number }>(
        "SELECT id, person_id, kind, date, minutes FROM time_bookings WHERE kind = 'cap' AND date = :day AND id NOT IN (SELECT cancels FROM time_bookings WHERE cancels IS NOT NULL)",
        { day },
      );
      for (const [id, account] of model.people) {
        const { upper, cut } = account.limit ?? model.limit ?? { upper: undefined, cut: false };
        const above =
          !cut || upper === undefined || account.trackingStart > day ? 0 : Math.max(0, balanceOn(account, day) - upper);
        const known = new Set(account.bookings.map((one) => one.id));
        const caps = made.filter((one) => one.person_id === id && !known.has(one.id));
        expect([month, id, sumOf(caps)]).toEqual([month, id, above === 0 ? 0 : -above]);
        account.bookings.push(...caps.map(({ person_id: _, ...cap }) => cap));
      }
    },
);

const opened = fc.constantFrom(...months).map(
  (month): Step =>
    async ({ world, root, model }) => {
      const answer = await root.call('POST', `/app/admin/companies/${world.nord}/months/${month}/reopen`, {
        body: { reason: 'Late' },
      });
      if (answer.status !== 200) return;
      model.closed.splice(model.closed.indexOf(month), 1);
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
  { arbitrary: clocked, weight: 4 },
  { arbitrary: away, weight: 2 },
  { arbitrary: closing, weight: 3 },
  cancel,
  struckOut,
  opening,
  limits,
  opened,
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
  const empty = (): Account => ({
    trackingStart: '2026-09-01',
    opening: 0,
    worked: new Map(),
    absences: [],
    bookings: [],
    limit: undefined,
  });
  const model: Model = {
    people: new Map([
      [ada, empty()],
      [ben, empty()],
    ]),
    closed: [],
    limit: undefined,
  };
  return { world, root: await world.as(boss), model, ids: [ada, ben] };
}

/** What the service says of a day, by every door, beside what the model says. */
async function compare({ world, root, model, ids }: Scene, date: string): Promise<void> {
  const tracked = ids.filter((id) => model.people.get(id)!.trackingStart <= date);
  const expected = tracked.map((id) => [id, balanceOn(model.people.get(id)!, date)]);
  const listed = await world.call('GET', `/api/v1/time/balances?date=${date}&company_id=${world.nord}`, {
    key: world.auditor.key,
  });
  const rows = listed.body['data'] as { user_id: number; balance_minutes: number }[];
  expect([
    date,
    rows.filter(({ user_id: id }) => ids.includes(id)).map(({ user_id: id, balance_minutes: sum }) => [id, sum]),
  ]).toEqual([date, expected]);
  for (const [id, balance] of expected) {
    const path = `/app/people/${id}/time-account?from=${after(date, -40)}&to=${date}`;
    const account = (await root.call('GET', path)).body as { balance_minutes: number; opening_minutes: number };
    const before = after(date, -41);
    const { trackingStart, opening: brought } = model.people.get(id as number)!;
    const start = before < trackingStart ? brought : balanceOn(model.people.get(id as number)!, before);
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
    for (const [index, one] of steps.entries()) {
      await one(scene);
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
