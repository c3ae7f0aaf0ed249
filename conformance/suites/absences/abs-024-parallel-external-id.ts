import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-024',
  suite: 'absences',
  level: 'must',
  says: 'Thirty parallel requests with one external_id create one absence; each gets 2xx with the same id.',
  limit: 60,
  async check(world) {
    const { api } = await world.newExtension();
    const person = await world.person();
    const { monday, wednesday } = world.week();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        absence(world, api, person, { start_date: monday, end_date: wednesday, external_id: 'crowd' }),
      ),
    );
    for (const answer of answers)
      ensure(answer.status === 200 || answer.status === 201, `one of them got ${answer.status} ${answer.brief()}`);
    equal(new Set(answers.map((answer) => answer.get('id'))).size, 1, 'different ids');
    equal(answers.filter(({ status }) => status === 201).length, 1, 'answers 201');
  },
});
