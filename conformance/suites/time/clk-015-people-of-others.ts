import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-015',
  suite: 'time',
  level: 'must',
  says: 'A person of another company is refused as if there were no such person, and nothing is written.',
  async check(world) {
    const { api } = await world.extension();
    const { id } = await world.neighbour();
    const foreignPerson = await world.newPerson({ company_id: id, department_id: undefined });
    const foreignAnswer = (await clock(api, foreignPerson, 'in')).is(404, 'not_found');
    const unknownAnswer = (await clock(api, { id: 9_007_199_254_740_000 }, 'in')).is(404, 'not_found');
    equal(foreignAnswer.get('error'), unknownAnswer.get('error'), 'the sentence of the refusal');
  },
});
