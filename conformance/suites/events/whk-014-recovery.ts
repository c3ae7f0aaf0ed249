import { requirement } from '../../kit/requirement.js';
import type { Delivery } from '../../peers/receiver.js';
import { about, clock, eventually } from '../support.js';

export default requirement({
  id: 'WHK-014',
  suite: 'events',
  level: 'must',
  says: 'Deliveries that failed, and events that came while an endpoint was disabled, are sent again from a given time on.',
  covers: ['Deliveries that failed since a given time can be sent again.'],
  waits: true,
  limit: 120,
  async check(world) {
    const { receiver, extension } = await world.receiver();
    const person = await world.newPerson();
    const { api } = await world.newExtension();
    const since = new Date(Date.now() - 60_000).toISOString();
    // Perhaps of somebody else, and then this person's clock-in comes only when it is sent again.
    const refusals: unknown[] = [];
    receiver.answer = ({ headers }) => {
      refusals.push(headers['webhook-id']);
      return { status: 410 };
    };
    (await clock(api, person, 'in')).is(200);
    await eventually(
      async () => ((await world.fixtures.showExtension(extension.id)).delivery_state === 'disabled' ? true : undefined),
      'delivery.state is disabled',
    );
    (await clock(api, person, 'out')).is(200);
    receiver.answer = () => undefined;
    await world.fixtures.recoverDeliveries(extension.id, since);
    const [id] = refusals;
    const isOurs = ({ headers }: Delivery) => headers['webhook-id'] === id;
    await receiver.waitForDelivery((delivery) => isOurs(delivery) && receiver.deliveries.find(isOurs) !== delivery, 20);
    await receiver.waitForDelivery(about(person, 'clock.out'), 20);
  },
});
