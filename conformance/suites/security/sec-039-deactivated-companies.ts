import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { allRows, eventually } from '../support.js';

export default requirement({
  id: 'SEC-039',
  suite: 'security',
  level: 'must',
  says: 'A key of the whole installation sees neither a deactivated company nor its people.',
  covers: ['A key of the whole installation does not see deactivated companies.'],
  async check(world) {
    const { api } = await world.newExtension({ acting: 'personal_link', company_id: undefined, key_reads: 'everyone' });
    const { id } = await world.newCompany('Leaving');
    const person = await world.newPerson({ company_id: id, department_id: undefined });
    const since = new Date(Date.now() - 60_000).toISOString();
    const visibilities = async () => {
      const companies = await allRows(api, '/api/v1/companies');
      const people = await allRows(api, `/api/v1/users?updated_since=${since}`);
      return [
        companies.some((company) => at(company, 'id') === id),
        people.some((user) => at(user, 'id') === person.id),
      ];
    };
    await eventually(
      async () => ((await visibilities()).every((isVisible) => isVisible) ? true : undefined),
      'the company and its person are listed while it is active',
    );
    await world.fixtures.setCompanyActive(id, false);
    equal(await visibilities(), [false, false], 'the company and its person afterwards');
  },
});
