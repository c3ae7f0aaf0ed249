import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-001',
  suite: 'absences',
  level: 'must',
  says: 'A new absence that needs approval answers 201 with Location and waits; every documented field is kept.',
  covers: ['An absence has a person, a company, a kind, a period, days and a comment when it is read.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const { monday, wednesday } = world.week();
    const made = await absence(world, api, person, {
      start_date: monday,
      end_date: wednesday,
      comment: 'From the kit',
      external_id: `kit-${monday}`,
    });
    made.is(201);
    equal(made.get('status'), 'waiting', 'status');
    equal(made.get('user_id'), person.id, 'user_id');
    equal(made.get('start_date'), monday, 'start_date');
    equal(made.get('end_date'), wednesday, 'end_date');
    equal(made.get('comment'), 'From the kit', 'comment');
    equal(made.get('external_id'), `kit-${monday}`, 'external_id');
    equal(made.header('location'), `/api/v1/absences/${made.number('id')}`, 'Location');
    ensure(made.number('days') > 0 && made.number('days') <= 3, `days is ${made.number('days')}`);
  },
});
