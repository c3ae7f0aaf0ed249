import { requirement } from '../../kit/requirement.js';
import { absence, monthToClose } from '../support.js';

export default requirement({
  id: 'CLK-021',
  suite: 'time',
  level: 'must',
  says: 'Writing into a closed month is refused with 409 month_closed.',
  async check(world) {
    const { company, person, month, close } = await monthToClose(world);
    const { api } = await world.newExtension({ company_id: company });
    await close();
    const days = { start_date: `${month}-10`, end_date: `${month}-11` };
    (await absence(world, api, person, days)).is(409, 'month_closed');
  },
});
