import { at } from '../../kit/json.js';
import { requirement, Skipped } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-021',
  suite: 'time',
  level: 'must',
  says: 'Writing into a closed month is refused with 409 month_closed.',
  covers: ['T1.5', 'T7.3', 'T7.2'],
  async check(world) {
    const admin = await world.admin();
    const year = new Date().getUTCFullYear();
    for (const company of world.target.companies)
      for (const calendarYear of [year, year - 1]) {
        const months = (await admin.get(`/app/admin/companies/${company.id}/months?year=${calendarYear}`))
          .is(200)
          .list('data');
        const closed = months.find((month) => at(month, 'state') === 'closed');
        const person = company.users[0];
        if (closed === undefined || person === undefined) continue;
        const { api } = await world.newExtension({ company_id: company.id });
        const [start_date, end_date] = ['10', '11'].map((day) => `${String(at(closed, 'month'))}-${day}`);
        const body = { user_id: person.id, type: 'vacation', start_date, end_date };
        (await api.post('/api/v1/absences', body)).is(409, 'month_closed');
        return;
      }
    throw new Skipped('no company of the target has a closed month');
  },
});
