import { requirement } from '../../kit/requirement.js';
import { walk } from './walk.js';

export default requirement({
  id: 'MEM-001',
  suite: 'memory',
  level: 'must',
  says: 'A long walk through stamps, absences, links, badges and lists ends without a server error.',
  // Hundreds of requests, one after the other: half a minute on the same machine, much longer from afar.
  limit: 600,
  async check(world) {
    const { answers } = await walk(world);
    const broken = answers.filter(({ status }) => status >= 500);
    if (broken.length > 0) broken[0]!.is(200);
  },
});
