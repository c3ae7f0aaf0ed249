import { NotApplicable } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-028',
  suite: 'time',
  level: 'must',
  says: 'An API key without the write switch reads only: feature_disabled refuses writes while writing for people is off.',
  covers: [
    'The API only reads unless writing for people has been switched on.',
    'Writing is off by default; a super admin switches it on, separately for extensions and for personal links.',
  ],
  async check(world) {
    const status = (await world.open.get('/api/v1/status')).is(200);
    if (status.get('features.people_writes') !== false)
      throw new NotApplicable(
        'writing for people is on here; switching it off would end the links of people (see SEC-030)',
      );
    const { api } = await world.extension();
    const person = await world.person();
    (await clock(api, person, 'in')).is(403, 'feature_disabled');
  },
});
