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
    const creation = await absence(world, api, person, {
      start_date: monday,
      end_date: wednesday,
      comment: 'From the kit',
      external_id: `kit-${monday}`,
    });
    creation.is(201);
    equal(creation.get('status'), 'waiting', 'status');
    equal(creation.get('user_id'), person.id, 'user_id');
    equal(creation.get('start_date'), monday, 'start_date');
    equal(creation.get('end_date'), wednesday, 'end_date');
    equal(creation.get('comment'), 'From the kit', 'comment');
    equal(creation.get('external_id'), `kit-${monday}`, 'external_id');
    equal(creation.header('location'), `/api/v1/absences/${creation.number('id')}`, 'Location');
    ensure(creation.number('days') > 0 && creation.number('days') <= 3, `days is ${creation.number('days')}`);
  },
});
