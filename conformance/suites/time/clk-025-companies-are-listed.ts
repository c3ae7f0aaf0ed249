import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-025',
  suite: 'time',
  level: 'must',
  says: 'Any valid key lists the companies that it may see; without a key nothing is listed.',
  async check(world) {
    const { api } = await world.extension();
    const company = await world.company();
    const companies = (await api.get('/api/v1/companies')).is(200).list('data');
    equal(
      companies.map((row) => at(row, 'id')),
      [company.id],
      'the companies of a bound key',
    );
    (await world.stranger().get('/api/v1/companies')).is(401, 'unauthorized');
  },
});
