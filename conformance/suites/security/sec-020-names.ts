import { expectRefusal } from '../../kit/adapter.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-020',
  suite: 'security',
  level: 'must',
  says: 'Names with control or bidirectional characters, and blank ones, are refused.',
  covers: ['Names hold no control characters, no bidirectional controls and are not blank.'],
  async check(world) {
    const company = await world.company();
    for (const name of ['   ', 'a\u0007b', 'a\u202eb', 'a\u2066b', '', '\u200b'])
      await expectRefusal(world.fixtures.createDepartment(company.id, name), 'invalid_request', JSON.stringify(name));
  },
});
