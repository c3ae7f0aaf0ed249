import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-003',
  suite: 'contract',
  level: 'must',
  says: 'Every body matches its schema.',
  covers: [
    'People, companies, departments, entries and absences have positive integers as ids; everything else a prefixed string.',
  ],
  last: true,
  async check(world) {
    equal(world.findingsOf('body'), [], 'bodies that do not match');
  },
});
