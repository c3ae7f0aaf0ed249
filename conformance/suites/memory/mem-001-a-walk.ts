import { requirement } from '../../kit/requirement.js';
import { walk } from './walk.js';

export default requirement({
  id: 'MEM-001',
  suite: 'memory',
  level: 'must',
  says: 'A long walk through stamps, absences, links, badges and lists ends without a server error.',
  limit: 120,
  async check(world) {
    const { answers } = await walk(world);
    const broken = answers.filter(({ status }) => status >= 500);
    if (broken.length > 0) broken[0]!.is(200);
  },
});
