/** The service's account of a year, beside the values recomputed from its rows. */
import { signIn } from '../../test/browser.js';
import type { World } from '../../test/world.js';
import { recompute } from './recompute.js';
import type { Year } from './simulate.js';

const oneDay = 86_400_000;
const text = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);

export interface Compared {
  readonly balances: number;
  readonly vacations: number;
  readonly caps: number;
  readonly differences: readonly string[];
}

/**
 * Compares every balance at the end of each month and on every ninth day, every vacation account, and the cut minutes.
 */
export async function compareYear(
  world: World,
  { admin, company, people, lastDay }: Year,
  from: string,
): Promise<Compared> {
  const today = text(Date.parse(lastDay) + oneDay);
  const facts = await recompute(world.db, company);
  const differences: string[] = [];
  let [balances, vacations, caps] = [0, 0, 0];
  const isLast = (date: string) => text(Date.parse(date) + oneDay).endsWith('-01');
  for (let [date, index] = [from, 0]; date <= lastDay; date = text(Date.parse(date) + oneDay), index += 1) {
    if (!isLast(date) && index % 9 !== 0 && date !== lastDay) continue;
    const trackedPeople = facts.people.filter(
      (person) =>
        person.tracking_start <= date &&
        (person.employment_end === null || person.employment_end >= `${date.slice(0, 7)}-01`),
    );
    const serviceBalances = await balancesOn(world, company, date);
    if (serviceBalances.size !== trackedPeople.length)
      differences.push(`${date}: ${serviceBalances.size} people, not ${trackedPeople.length}`);
    for (const { id } of trackedPeople) {
      const expectedBalance = facts.balanceOn(id, date, today);
      balances += 1;
      if (serviceBalances.get(id) !== expectedBalance)
        differences.push(`${date}, person ${id}: ${serviceBalances.get(id)} minutes, not ${expectedBalance}`);
    }
  }
  for (const cap of facts.bookings.filter(({ kind }) => kind === 'cap')) {
    if (facts.bookings.some(({ cancels }) => cancels === cap.id)) continue;
    const remainingBalance = facts.balanceOn(cap.person_id, cap.date, today);
    caps += 1;
    if (remainingBalance !== 1_200)
      differences.push(`${cap.date}, person ${cap.person_id}: ${remainingBalance} minutes after the cut, not 1200`);
  }
  const root = await signIn(world, admin);
  for (const id of people)
    for (const year of new Set([from.slice(0, 4), lastDay.slice(0, 4)].map(Number))) {
      const { body } = await root.call('GET', `/app/people/${id}/vacation?year=${year}`);
      const expectedDays = facts.vacationLeft(id, year, today);
      vacations += 1;
      if (body['left_days'] !== expectedDays)
        differences.push(`${year}, person ${id}: ${String(body['left_days'])} days left, not ${expectedDays}`);
    }
  return { balances, vacations, caps, differences };
}

async function balancesOn(world: World, company: number, date: string): Promise<ReadonlyMap<number, number>> {
  const balances = new Map<number, number>();
  for (let cursor = ''; ; ) {
    const path = `/api/v1/time/balances?date=${date}&company_id=${company}&limit=500${cursor}`;
    const { body } = await world.call('GET', path, { key: world.auditor.key });
    for (const row of body['data'] as { user_id: number; balance_minutes: number }[])
      balances.set(row.user_id, row.balance_minutes);
    if (body['next_cursor'] === null) return balances;
    cursor = `&cursor=${String(body['next_cursor'])}`;
  }
}
