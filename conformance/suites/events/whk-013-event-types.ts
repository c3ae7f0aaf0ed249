import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { about, clock } from '../support.js';

export default requirement({
  id: 'WHK-013',
  suite: 'events',
  level: 'must',
  says: 'An extension that chose event types gets only those, and a ping always.',
  async check(world) {
    const { receiver, extension } = await world.receiver({ event_types: ['clock.out'] });
    const person = await world.newPerson();
    const { api } = await world.newExtension();
    (await clock(api, person, 'in')).is(200);
    (await clock(api, person, 'out')).is(200);
    await receiver.waitForDelivery(about(person, 'clock.out'), 15);
    ensure(!receiver.deliveries.some(about(person, 'clock.in')), 'clock.in was delivered too');
    await world.fixtures.ping(extension.id);
    await receiver.waitForDelivery(({ body }) => String(body).includes('"ping"'), 10);
  },
});
