import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-009',
  suite: 'time',
  level: 'must',
  says: 'Of forty parallel clock-ins one succeeds, the others are refused with already_clocked_in, and none gets a 5xx.',
  covers: ['One open entry per person: of many parallel clock-ins one succeeds and none gets a 5xx.'],
  limit: 60,
  async check(world) {
    const { api } = await world.newExtension();
    const person = await world.person();
    const answers = await Promise.all(Array.from({ length: 40 }, () => clock(api, person, 'in')));
    equal(answers.filter(({ status }) => status === 200).length, 1, 'clock-ins that succeeded');
    const otherAnswers = answers.filter(({ status }) => status !== 200);
    for (const answer of otherAnswers) answer.is(409, 'already_clocked_in');
  },
});
