/** What the service says of a year, beside what its rows say. */
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

/** Every balance at the end of each month and on every ninth day, every vacation account, and what was cut. */
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
    const tracked = facts.people.filter(
      (person) =>
        person.tracking_start <= date &&
        (person.employment_end === null || person.employment_end >= `${date.slice(0, 7)}-01`),
    );
    const said = await balancesOn(world, company, date);
    if (said.size !== tracked.length) differences.push(`${date}: ${said.size} people, not ${tracked.length}`);
    for (const { id } of tracked) {
      const wanted = facts.balanceOn(id, date, today);
      balances += 1;
      if (said.get(id) !== wanted) differences.push(`${date}, person ${id}: ${said.get(id)} minutes, not ${wanted}`);
    }
  }
  for (const cap of facts.bookings.filter(({ kind }) => kind === 'cap')) {
    if (facts.bookings.some(({ cancels }) => cancels === cap.id)) continue;
    const left = facts.balanceOn(cap.person_id, cap.date, today);
    caps += 1;
    if (left !== 1_200)
      differences.push(`${cap.date}, person ${cap.person_id}: ${left} minutes after the cut, not 1200`);
  }
  const root = await signIn(world, admin);
  for (const id of people)
    for (const year of new Set([from.slice(0, 4), lastDay.slice(0, 4)].map(Number))) {
      const { body } = await root.call('GET', `/app/people/${id}/vacation?year=${year}`);
      const wanted = facts.vacationLeft(id, year, today);
      vacations += 1;
      if (body['left_days'] !== wanted)
        differences.push(`${year}, person ${id}: ${String(body['left_days'])} days left, not ${wanted}`);
    }
  return { balances, vacations, caps, differences };
}

async function balancesOn(world: World, company: number, date: string): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  for (let cursor = ''; ; ) {
    const path = `/api/v1/time/balances?date=${date}&company_id=${company}&limit=500${cursor}`;
    const { body } = await world.call('GET', path, { key: world.auditor.key });
    for (const one of body['data'] as { user_id: number; balance_minutes: number }[])
      found.set(one.user_id, one.balance_minutes);
    if (body['next_cursor'] === null) return found;
    cursor = `&cursor=${String(body['next_cursor'])}`;
  }
}
