/**
 * A year of a company, day by day with a clock that is moved: people join and leave, clock in and out, take vacation,
 * fall ill, forget to stamp and are corrected; HR pays overtime out, cancels bookings, closes months and carries
 * vacation over. Everything goes through the doors that people and extensions use.
 */
import { addSuperAdmin, type Browser, signIn } from '../../test/browser.js';
import type { Answer, World } from '../../test/world.js';

export interface Year {
  /** An admin of the installation. */
  readonly admin: number;
  readonly company: number;
  readonly people: readonly number[];
  /** The number of times that each action was done. */
  readonly counts: ReadonlyMap<string, number>;
  readonly lastDay: string;
}

const oneDay = 86_400_000;
const minute = 60_000;
const text = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);
const addDays = (date: string, days: number) => text(Date.parse(date) + days * oneDay);

/** Random numbers for the same year every time. Mulberry32. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const partTime = { monday: 360, tuesday: 360, wednesday: 360, thursday: 360, friday: 0, saturday: 0, sunday: 0 };

/**
 * @param count people; a tenth joins during the time, a tenth leaves
 * @param from the first day, on which an admin of the installation sets up the company
 */
export async function simulateYear(
  world: World,
  { count, from, to }: { readonly count: number; readonly from: string; readonly to: string },
): Promise<Year> {
  const random = dice(count);
  const chance = (share: number) => random() < share;
  const randomBetween = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const counts = new Map<string, number>();
  const note = (action: string) => counts.set(action, (counts.get(action) ?? 0) + 1);
  const hours = (date: string, hour: number, minutes = 0) =>
    Date.parse(`${date}T00:00:00Z`) + hour * 60 * minute + minutes * minute;

  world.set(hours(addDays(from, -1), 6));
  const rootId = await addSuperAdmin(world);
  let root: Browser = await signIn(world, rootId);
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await root.call(method, path, body === undefined ? {} : { body });
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };
  const askOrThrow = async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await ask(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)} ${JSON.stringify(body)}`);
    return answer;
  };

  const company = (
    await askOrThrow('POST', '/app/admin/companies', {
      name: 'Year Ltd',
      time_zone: 'Europe/Berlin',
      country: 'DE',
      region: 'DE-HH',
    })
  ).body['id'] as number;
  await askOrThrow('PUT', `/app/admin/companies/${company}/vacation-policy`, {
    days: 30,
    pro_rata: 'twelfths',
    carry_over_until: '03-31',
  });
  await askOrThrow('PUT', `/app/admin/companies/${company}/flexitime-limits`, { upper_minutes: 1200, at_upper: 'cut' });
  const { key } = (
    await askOrThrow('POST', '/app/admin/extensions', {
      name: 'Clock',
      mode: 'api',
      scopes: ['write:clock', 'read:time_entries'],
      acting: 'everyone',
      company_id: company,
    })
  ).body as { key: string };

  interface Worker {
    readonly id: number;
    readonly start: string;
    end: string | undefined;
    sickUntil: string;
  }
  const workers: Worker[] = [];
  const span = Math.round((Date.parse(to) - Date.parse(from)) / oneDay);
  for (let index = 0; index < count; index += 1) {
    const start = index % 10 === 3 ? addDays(from, randomBetween(20, Math.floor(span / 2))) : from;
    const { body } = await askOrThrow('POST', '/app/admin/people', {
      company_id: company,
      first_name: 'P',
      last_name: String(index),
      language: 'de',
      employment_start: start,
    });
    const id = body['id'] as number;
    if (index % 4 === 1)
      await askOrThrow('POST', `/app/admin/people/${id}/schedules`, { valid_from: from, minutes: partTime });
    if (index % 5 === 2)
      await askOrThrow('PUT', `/app/admin/people/${id}/opening-balance`, {
        date: start,
        balance_minutes: randomBetween(-300, 900),
      });
    workers.push({
      id,
      start,
      end: index % 10 === 4 ? addDays(from, randomBetween(Math.floor(span / 2), span - 10)) : undefined,
      sickUntil: '',
    });
  }
  const stamp = async (id: number, verb: string) => {
    const answer = await world.call('POST', `/api/v1/clock/${verb}`, { key, body: { user_id: id } });
    if (answer.status !== 200) throw new Error(`${verb}: ${answer.status} ${JSON.stringify(answer.body)}`);
    note(`clock/${verb}`);
  };

  async function morningOf(date: string): Promise<void> {
    world.set(hours(date, 4));
    // Sessions end after half an hour without a request.
    root = await signIn(world, rootId);
    for (const worker of workers) {
      const path = `/app/people/${worker.id}/absences`;
      if (worker.start > date || (worker.end !== undefined && worker.end <= date)) continue;
      if (chance(0.012)) {
        const last = addDays(date, randomBetween(0, 6));
        const body = { type: 'sickness', start_date: date, end_date: last, returns_vacation: true };
        if ((await ask('POST', path, body)).status === 201) {
          worker.sickUntil = last;
          note('sickness');
        }
      }
      if (chance(0.025)) {
        const [first, extraDays] = [addDays(date, randomBetween(1, 40)), randomBetween(0, 8)];
        const half = extraDays === 0 && chance(0.5) ? { half_day: 'afternoon' } : {};
        const body = { type: 'vacation', start_date: first, end_date: addDays(first, extraDays), ...half };
        if ((await ask('POST', path, body)).status === 201) note('vacation');
      }
      if (chance(0.012)) {
        const day = addDays(date, -randomBetween(0, 12));
        const body = { kind: 'payout', minutes: -randomBetween(1, 240), date: day, reason: 'Paid out' };
        const booking = await ask('POST', `/app/admin/people/${worker.id}/time-bookings`, body);
        if (booking.status === 201) {
          note('booking');
          if (chance(0.3)) {
            const cancellationPath = `/app/admin/people/${worker.id}/time-bookings/${String(booking.body['id'])}/cancellation`;
            await askOrThrow('POST', cancellationPath, { date, reason: 'Twice' });
            note('cancellation');
          }
        }
      }
      if (chance(0.006)) {
        const days = { kind: 'correction', days: randomBetween(-2, 2) / 2 || 0.5, date, reason: 'Inventory' };
        await askOrThrow('POST', `/app/admin/people/${worker.id}/vacation-bookings`, days);
        note('vacation booking');
      }
      if (chance(0.03)) {
        const day = addDays(date, -randomBetween(1, 10));
        const times = { start: `${day}T04:00:00Z`, end: `${day}T05:${String(randomBetween(10, 59))}:00Z`, breaks: [] };
        const body = { ...times, reason: 'Forgot' };
        if ((await ask('POST', `/app/people/${worker.id}/corrections`, body)).status === 201) note('correction');
      }
    }
  }

  async function dayOf(date: string): Promise<void> {
    const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
    const presentWorkers = workers.filter(
      ({ start, end, sickUntil }) =>
        start <= date &&
        (end === undefined || date <= end) &&
        sickUntil < date &&
        chance(weekday % 6 === 0 ? 0.03 : 0.93),
    );
    const plans = presentWorkers.map(({ id }) => {
      const begin = hours(date, 6, randomBetween(0, 90));
      const end = begin + randomBetween(300, 640) * minute + randomBetween(0, 59) * 1_000;
      const pause = chance(0.7) ? begin + randomBetween(120, 240) * minute : undefined;
      return { id, begin, end, pause };
    });
    const steps = plans.flatMap(({ id, begin, end, pause }) => [
      { at: begin, id, verb: 'in' },
      ...(pause === undefined
        ? []
        : [
            { at: pause, id, verb: 'break/start' },
            { at: pause + randomBetween(15, 45) * minute, id, verb: 'break/end' },
          ]),
      { at: end, id, verb: 'out' },
    ]);
    for (const { at, id, verb } of steps.sort((a, b) => a.at - b.at)) {
      world.set(at);
      await stamp(id, verb);
    }
  }

  async function firstOfMonth(date: string): Promise<void> {
    const month = addDays(date, -5).slice(0, 7);
    if (month < from.slice(0, 7)) return;
    const path = `/app/admin/companies/${company}/months/${month}`;
    await askOrThrow('POST', `${path}/close`);
    note('month closed');
    if (chance(0.3)) {
      await askOrThrow('POST', `${path}/reopen`, { reason: 'Late shift' });
      await askOrThrow('POST', `${path}/close`);
      note('month reopened');
    }
    if (date.slice(5, 7) === '01') {
      const body = { from_year: Number(date.slice(0, 4)) - 1 };
      await askOrThrow('POST', `/app/admin/companies/${company}/vacation-carry-over`, body);
      note('carry-over');
    }
  }

  for (let date = from; date <= to; date = addDays(date, 1)) {
    await morningOf(date);
    for (const { id, end } of workers)
      if (end !== undefined && addDays(end, -7) === date) {
        await askOrThrow('PATCH', `/app/admin/people/${id}`, { employment_end: end });
        note('exit');
      }
    if (date.endsWith('-03')) await firstOfMonth(date);
    await dayOf(date);
  }
  world.set(hours(addDays(to, 1), 5));
  return { admin: rootId, company, people: workers.map(({ id }) => id), counts, lastDay: to };
}
