import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-030',
  suite: 'time',
  level: 'must',
  says: 'An entry belongs to the day on which it starts, and worked time is elapsed time, also in the night when clocks change.',
  covers: [
    'An entry belongs to the day on which it starts; worked time is elapsed time, also over a change of the clocks.',
    'Breaks are deducted only where a company switches it on, and visibly.',
  ],
  async check(world) {
    const { id, departments } = await world.newCompany('Clocks', 'Europe/Berlin');
    const person = await world.newPerson({ company_id: id, department_id: departments[0] });
    // Berlin turns its clocks back at 01:00 UTC on the last Sunday in October.
    const year = new Date().getUTCFullYear() - 1;
    const october = new Date(Date.UTC(year, 9, 31));
    const sunday = Date.UTC(year, 9, 31 - october.getUTCDay());
    const hour = 3_600_000;
    const instant = (time: number) => new Date(time).toISOString().replace('.000', '');
    const entry = {
      // From 22:30 summer time to 04:30 winter time: seven hours.
      start: instant(sunday - 3.5 * hour),
      end: instant(sunday + 3.5 * hour),
      reason: 'The kit adds an entry',
    };
    await world.fixtures.addEntry(person.id, entry);
    const { api } = await world.newExtension({ company_id: id });
    const saturday = new Date(sunday - 24 * hour).toISOString().slice(0, 10);
    const page = (await api.get(`/api/v1/time/entries?from=${saturday}&to=${saturday}&user_id=${person.id}`)).is(200);
    const [listedEntry] = page.list('data');
    equal(at(listedEntry, 'date'), saturday, 'date');
    equal(at(listedEntry, 'worked_minutes'), 420, 'worked_minutes');
    equal(at(listedEntry, 'break_minutes'), 0, 'breaks that nobody made');
  },
});
