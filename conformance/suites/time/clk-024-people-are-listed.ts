import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { allRows } from '../support.js';

export default requirement({
  id: 'CLK-024',
  suite: 'time',
  level: 'must',
  says: "People are listed with read:users, with their department and only those of the key's company.",
  covers: ['/users lists users with read:users.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const company = await world.company();
    const users = await allRows(api, '/api/v1/users');
    const listedUser = users.find((user) => at(user, 'id') === person.id);
    equal(at(listedUser, 'first_name'), person.firstName, 'first_name');
    equal(at(listedUser, 'department.id'), company.departments[0], 'department.id');
    ensure(
      users.every((user) => at(user, 'company_id') === company.id),
      'people of another company are listed',
    );
    const clockReader = await world.newExtension({ scopes: ['read:clock_states'] });
    (await clockReader.api.get('/api/v1/users')).is(403, 'insufficient_scope');
  },
});
