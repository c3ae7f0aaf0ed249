import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-033',
  suite: 'security',
  level: 'must',
  says: 'Badges need DATA_KEY: without it issuing is refused with data_key_missing.',
  covers: ["Badges need DATA_KEY, which seals the company's card key."],
  async check(world) {
    const admin = await world.admin();
    const access = (await admin.get('/app/admin/access')).is(200);
    const terminal = await world.newTerminal();
    const person = await world.newPerson();
    const answer = await admin.post(`/app/admin/terminals/${terminal.id}/issuing`, { user_id: person.id });
    if (access.get('data_key') === true) answer.is(201);
    else answer.is(409, 'data_key_missing');
  },
});
