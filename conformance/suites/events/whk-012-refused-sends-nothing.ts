import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { about, clock, deliveredBodies } from '../support.js';

export default requirement({
  id: 'WHK-012',
  suite: 'events',
  level: 'must',
  says: 'A refused operation sends no event.',
  async check(world) {
    const { receiver } = await world.receiver();
    const person = await world.newPerson();
    const { api } = await world.newExtension();
    (await clock(api, person, 'out')).is(409);
    (await clock(api, person, 'in')).is(200);
    (await clock(api, person, 'in')).is(409);
    (await clock(api, person, 'out')).is(200);
    await receiver.waitForDelivery(about(person, 'clock.out'), 15);
    equal(
      deliveredBodies(receiver.deliveries.filter(about(person, 'clock.'))).length,
      2,
      'events for two operations that succeeded',
    );
  },
});
