import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

const day = 86_400_000;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

export default requirement({
  id: 'ABS-027',
  suite: 'absences',
  level: 'must',
  says: 'days counts working days: no weekends, no public holidays of the region, and half of a half day.',
  covers: ['days counts working days by schedule and holidays, in steps of half a day.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.newPerson();
    const daysOfWeek = async () => {
      const { friday } = world.week();
      const [monday, tuesday] = [3, 4].map((days) => dateOf(Date.parse(friday) + days * day));
      const halfDay = { start_date: tuesday, end_date: tuesday, half_day: 'morning' };
      const weekendAbsence = await absence(world, api, person, { start_date: friday, end_date: monday });
      return [weekendAbsence.get('days'), (await absence(world, api, person, halfDay)).get('days')];
    };
    let days = await daysOfWeek();
    // A week may have public holidays, but not each of four.
    for (let weeks = 1; weeks < 4 && String(days) !== '2,0.5'; weeks++) days = await daysOfWeek();
    equal(days, [2, 0.5], 'days over a weekend, and of a half day');
    // New Year's Day is a holiday everywhere; the first that is no weekend.
    let year = Number((await world.company()).today().slice(0, 4)) + 1;
    while ([0, 6].includes(new Date(Date.UTC(year, 0, 1)).getUTCDay())) year += 1;
    const turn = Date.UTC(year, 0, 1);
    const newYearsWeek = { start_date: dateOf(turn - 4 * day), end_date: dateOf(turn + 2 * day) };
    equal(
      (await absence(world, api, person, newYearsWeek)).is(201).get('days'),
      4,
      "days of the week of New Year's Day",
    );
  },
});
