/**
 * Balances of a company, recomputed from its rows. Nothing here comes from the service: no calendar, no rule, no query
 * of it, only the tables. Its results can be compared with the service's.
 */

interface Rows {
  all(sql: string, parameters?: Readonly<Record<string, string | number>>): Promise<unknown[]>;
}
interface Person {
  readonly id: number;
  readonly tracking_start: string;
  readonly opening_minutes: number;
  readonly employment_start: string | null;
  readonly employment_end: string | null;
}
interface Booking {
  readonly id: number;
  readonly person_id: number;
  readonly date: string;
  readonly kind: string;
  readonly minutes: number;
  readonly cancels: number | null;
}
interface Absence {
  readonly person_id: number;
  readonly type: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly half_day: string | null;
}

export interface Recomputed {
  /** Minutes at the end of a day, none of which counts from `today` on. */
  balanceOn(person: number, date: string, today: string): number;
  /** Vacation days left in a year, as of a day. */
  vacationLeft(person: number, year: number, asOf: string): number;
  readonly people: readonly Person[];
  readonly bookings: readonly Booking[];
}

const oneDay = 86_400_000;
const text = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);
const dayAfter = (date: string) => text(Date.parse(date) + oneDay);

/** Gregorian Easter, by the anonymous algorithm. */
function easter(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return Date.UTC(year, month - 1, ((h + l - 7 * m + 114) % 31) + 1);
}

/** Public holidays of Hamburg. */
function holidaysOf(year: number): ReadonlySet<string> {
  const movableHolidays = [-2, 1, 39, 50].map((days) => text(easter(year) + days * oneDay));
  return new Set([
    ...['01-01', '05-01', '10-03', '10-31', '12-25', '12-26'].map((day) => `${year}-${day}`),
    ...movableHolidays,
  ]);
}

const onWall = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' });

export async function recompute(rows: Rows, company: number): Promise<Recomputed> {
  const query = async <Row>(sql: string) => (await rows.all(sql, { company })) as Row[];
  const people = await query<Person>('SELECT * FROM people WHERE company_id = :company ORDER BY id');
  const bookings = await query<Booking>('SELECT * FROM time_bookings WHERE company_id = :company ORDER BY id');
  const schedules = await query<{ person_id: number | null; valid_from: string; week: string }>(
    'SELECT * FROM schedules WHERE company_id = :company ORDER BY valid_from',
  );
  const absences = await query<Absence>(
    "SELECT * FROM absences WHERE company_id = :company AND status IN ('approved', 'cancellation_requested')",
  );
  const entries = await query<{ person_id: number; start_at: number; end_at: number; breaks: string }>(
    "SELECT * FROM time_entries WHERE company_id = :company AND status IN ('recorded', 'approved')",
  );
  const entitlements = await query<{
    person_id: number;
    year: number;
    half_days: number;
    carried_half_days: number;
    carried_until: string | null;
  }>('SELECT * FROM vacation_entitlements WHERE person_id IN (SELECT id FROM people WHERE company_id = :company)');
  const vacationBookings = await query<{ person_id: number; date: string; half_days: number }>(
    'SELECT * FROM vacation_bookings WHERE company_id = :company',
  );
  const [policy] = await query<{ half_days: number; pro_rata: string }>(
    'SELECT * FROM vacation_policies WHERE company_id = :company',
  );

  const holidays = new Map<number, ReadonlySet<string>>();
  const isHoliday = (date: string) => {
    const year = Number(date.slice(0, 4));
    if (!holidays.has(year)) holidays.set(year, holidaysOf(year));
    return holidays.get(year)!.has(date);
  };
  const scheduledMinutes = (person: number, date: string) => {
    if (isHoliday(date)) return 0;
    const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
    const schedulesOf = (personId: number | null) =>
      schedules.filter((schedule) => schedule.person_id === personId && schedule.valid_from <= date).at(-1);
    const schedule = schedulesOf(person) ?? schedulesOf(null);
    return schedule === undefined ? (weekday < 5 ? 480 : 0) : (JSON.parse(schedule.week) as number[])[weekday]!;
  };
  const isEmployed = (person: Person, date: string) =>
    (person.employment_start === null || person.employment_start <= date) &&
    (person.employment_end === null || person.employment_end >= date);
  const personById = new Map(people.map((person) => [person.id, person]));

  const workedMilliseconds = new Map<string, number>();
  for (const entry of entries) {
    const pauseTime = (JSON.parse(entry.breaks) as [number, number][]).reduce((sum, [from, to]) => sum + to - from, 0);
    const key = `${entry.person_id} ${onWall.format(Number(entry.start_at))}`;
    const workTime = Number(entry.end_at) - Number(entry.start_at) - pauseTime;
    workedMilliseconds.set(key, (workedMilliseconds.get(key) ?? 0) + workTime);
  }
  const portions = new Map<string, { credited: number; vacation: number }>();
  for (const { person_id: person, type, start_date: from, end_date: to, half_day: half } of absences)
    for (let date = from; date <= to; date = dayAfter(date)) {
      const sum = portions.get(`${person} ${date}`) ?? { credited: 0, vacation: 0 };
      const part = half === null ? 1 : 0.5;
      portions.set(`${person} ${date}`, {
        credited: sum.credited + (['vacation', 'sickness'].includes(type) ? part : 0),
        vacation: sum.vacation + (type === 'vacation' ? part : 0),
      });
    }

  function differenceOn(person: Person, date: string): number {
    const target = isEmployed(person, date) ? scheduledMinutes(person.id, date) : 0;
    const creditedShare = Math.min(1, portions.get(`${person.id} ${date}`)?.credited ?? 0);
    const workedMinutes = Math.floor((workedMilliseconds.get(`${person.id} ${date}`) ?? 0) / 60_000);
    return workedMinutes - (target - Math.ceil(target * creditedShare));
  }

  function entitlementOf(person: Person, year: number): { days: number; carried: number; until: string | null } {
    const entitlement = entitlements.find(
      (candidate) => candidate.person_id === person.id && Number(candidate.year) === year,
    );
    if (entitlement !== undefined)
      return {
        days: entitlement.half_days / 2,
        carried: entitlement.carried_half_days / 2,
        until: entitlement.carried_until,
      };
    if (policy === undefined) return { days: 0, carried: 0, until: null };
    const fullDays = policy.half_days / 2;
    let fullMonths = 0;
    for (let month = 1; month <= 12; month += 1) {
      const first = `${year}-${String(month).padStart(2, '0')}-01`;
      const last = text(Date.UTC(year, month, 0));
      if (isEmployed(person, first) && isEmployed(person, last)) fullMonths += 1;
    }
    if (policy.pro_rata !== 'twelfths' || fullMonths === 12) return { days: fullDays, carried: 0, until: null };
    const exact = (fullDays * fullMonths) / 12;
    const fraction = exact - Math.floor(exact);
    return { days: Math.floor(exact) + (fraction >= 0.5 ? 1 : fraction > 0 ? 0.5 : 0), carried: 0, until: null };
  }

  return {
    people,
    bookings,
    balanceOn(id, date, today) {
      const person = personById.get(id)!;
      let minutes = person.opening_minutes;
      for (let day = person.tracking_start; day <= date && day < today; day = dayAfter(day))
        minutes += differenceOn(person, day);
      for (const booking of bookings)
        if (booking.person_id === id && booking.date >= person.tracking_start && booking.date <= date)
          minutes += booking.minutes;
      return minutes;
    },
    vacationLeft(id, year, asOf) {
      const { days, carried, until } = entitlementOf(personById.get(id)!, year);
      let [takenDays, earlyDays] = [0, 0];
      for (let date = `${year}-01-01`; date <= `${year}-12-31`; date = dayAfter(date)) {
        const part = scheduledMinutes(id, date) > 0 ? (portions.get(`${id} ${date}`)?.vacation ?? 0) : 0;
        takenDays += part;
        if (until !== null && date <= until) earlyDays += part;
      }
      const bookings = vacationBookings.filter(
        (booking) => booking.person_id === id && booking.date.startsWith(`${year}-`),
      );
      const bookingDays = bookings.reduce((sum, booking) => sum + booking.half_days / 2, 0);
      for (const booking of bookings)
        if (until !== null && booking.date <= until && booking.half_days < 0) earlyDays -= booking.half_days / 2;
      const expiredDays = until === null || asOf <= until ? 0 : Math.max(0, carried - earlyDays);
      return days + carried + bookingDays - expiredDays - takenDays;
    },
  };
}
