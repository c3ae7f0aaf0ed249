import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-012',
  suite: 'time',
  level: 'must',
  says: 'Clock operations without write:clock are refused with 403 insufficient_scope.',
  covers: ['The clock operations need write:clock; a company key names user_id, a link sends an empty body.'],
  async check(world) {
    const { api } = await world.newExtension({ scopes: ['read:clock_states'] });
    const person = await world.person();
    for (const operation of ['in', 'out', 'break/start', 'break/end'] as const)
      (await clock(api, person, operation)).is(403, 'insufficient_scope');
  },
});
