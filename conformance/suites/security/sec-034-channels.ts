import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-034',
  suite: 'security',
  level: 'should',
  says: 'The versions are numbers of a release, whichever channel they came through.',
  covers: ['Channels are stable and latest.'],
  async check(world) {
    for (const client of world.target.indexer === undefined ? [world.open] : [world.open, world.indexer])
      ensure(
        /^\d+\.\d+\.\d+/.test((await client.get('/api/v1/status')).string('version')),
        'version is no number of a release',
      );
  },
});
