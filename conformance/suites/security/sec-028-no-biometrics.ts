import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-028',
  suite: 'security',
  level: 'should',
  says: 'The documents name no photo, face or finger data.',
  covers: ['No biometrics and no photos are used.'],
  async check(world) {
    const text = (await world.open.get('/api/v1/openapi.json')).is(200).text.toLowerCase();
    for (const word of ['"photo', '"face', 'biometric_', '"fingerprint_image'])
      ensure(!text.includes(word), `the documents contain ${word}`);
  },
});
