import { expectRefusal } from '../../kit/adapter.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-025',
  suite: 'security',
  level: 'must',
  says: 'Acting for everyone without a company is refused, and so is an unknown scope.',
  covers: [
    'Acting for everyone requires the binding to a company, whose people user_id names.',
    'There are six scopes: four to read, two to write.',
  ],
  async check(world) {
    const creation = world.newExtension({ company_id: undefined });
    await expectRefusal(creation, 'extension_incomplete', 'acting for everyone without a company');
    const otherCreation = world.newExtension({ scopes: ['write:everything'] });
    await expectRefusal(otherCreation, 'invalid_request', 'an unknown scope');
  },
});
