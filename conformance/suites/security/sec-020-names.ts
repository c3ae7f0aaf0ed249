import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-020',
  suite: 'security',
  level: 'must',
  says: 'Names with control or bidirectional characters, and blank ones, are refused.',
  covers: ['Names hold no control characters, no bidirectional controls and are not blank.'],
  async check(world) {
    const admin = await world.admin();
    const company = await world.company();
    for (const name of ['   ', 'a\u0007b', 'a\u202eb', 'a\u2066b', '', '\u200b'])
      equal(
        (await admin.post(`/app/admin/companies/${company.id}/departments`, { name })).status,
        400,
        `status for ${JSON.stringify(name)}`,
      );
  },
});
