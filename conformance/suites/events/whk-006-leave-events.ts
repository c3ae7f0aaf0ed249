import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { about, absence } from '../support.js';

export default requirement({
  id: 'WHK-006',
  suite: 'events',
  level: 'must',
  says: 'Requesting, changing and withdrawing an absence are delivered as events with the record.',
  async check(world) {
    const { receiver } = await world.receiver();
    const person = await world.newPerson();
    const { api } = await world.newExtension();
    const creation = (await absence(world, api, person)).is(201);
    (await api.patch(`/api/v1/absences/${creation.number('id')}`, { comment: 'later' })).is(200);
    (await api.delete(`/api/v1/absences/${creation.number('id')}`)).is(200);
    for (const type of ['leave.requested', 'leave.changed', 'leave.withdrawn']) {
      const delivery = await receiver.waitForDelivery(about(person, type), 15);
      const event = JSON.parse(String(delivery.body)) as unknown;
      equal(at(event, 'data.id'), creation.get('id'), `the absence of ${type}`);
      if (type === 'leave.changed') equal(at(event, 'changed'), ['comment'], 'changed');
    }
  },
});
