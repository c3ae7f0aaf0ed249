import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

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
    const seen = async () => {
      const companies = (await api.get('/api/v1/companies?limit=500')).is(200).list('data');
      const people = (await api.get(`/api/v1/users?updated_since=${new Date(Date.now() - 60_000).toISOString()}`)).is(
        200,
      );
      return [
        companies.some((company) => at(company, 'id') === id),
        people.list('data').some((user) => at(user, 'id') === person.id),
      ];
    };
    equal(await seen(), [true, true], 'the company and its person while it is active');
    await world.fixtures.setCompanyActive(id, false);
    equal(await seen(), [false, false], 'the company and its person afterwards');
  },
});
