import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { about, clock, deliveredBodies } from '../support.js';

export default requirement({
  id: 'WHK-005',
  suite: 'events',
  level: 'must',
  says: 'Events about one person arrive in the order in which they happened.',
  covers: ['Events are delivered in order per person and endpoint, at least once.'],
  async check(world) {
    const { receiver } = await world.receiver();
    const person = await world.newPerson();
    const { api } = await world.newExtension();
    for (const operation of ['in', 'break/start', 'break/end', 'out'] as const)
      (await clock(api, person, operation)).is(200);
    await receiver.waitForDelivery(about(person, 'clock.out'), 20);
    const types = deliveredBodies(receiver.deliveries.filter(about(person, 'clock.'))).map((event) =>
      at(event, 'type'),
    );
    equal(types, ['clock.in', 'clock.break_start', 'clock.break_end', 'clock.out'], 'types in the order of arrival');
  },
});
