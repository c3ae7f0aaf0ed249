import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { pause } from '../../kit/world.js';
import { about, clock } from '../support.js';

export default requirement({
  id: 'WHK-008',
  suite: 'events',
  level: 'must',
  says: 'An extension without the scopes of a record gets no events about it.',
  async check(world) {
    const { receiver } = await world.receiver({ scopes: ['read:users'] });
    const reader = await world.receiver();
    const person = await world.newPerson();
    const { api } = await world.newExtension();
    (await clock(api, person, 'in')).is(200);
    await reader.receiver.waitForDelivery(about(person), 15);
    await pause(500);
    ensure(!receiver.deliveries.some(about(person)), 'the extension without scopes got events of the stamp');
  },
});
