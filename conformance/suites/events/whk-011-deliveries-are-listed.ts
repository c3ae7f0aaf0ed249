import { requirement } from '../../kit/requirement.js';
import { about, clock, eventually } from '../support.js';

export default requirement({
  id: 'WHK-011',
  suite: 'events',
  level: 'must',
  says: 'Deliveries are listed with their attempts, and one can be sent again with the same id.',
  covers: ['Deliveries are listed with attempts; one can be sent again; ping tests the endpoint.'],
  async check(world) {
    const { receiver, extension } = await world.receiver();
    const person = await world.newPerson();
    const { api } = await world.newExtension();
    (await clock(api, person, 'in')).is(200);
    const firstDelivery = await receiver.waitForDelivery(about(person), 15);
    const id = String(firstDelivery.headers['webhook-id']);
    await eventually(async () => {
      const deliveries = await world.fixtures.listDeliveries(extension.id);
      return deliveries.find(
        ({ event_id, attempts }) => event_id === id && attempts.some(({ status }) => status === 204),
      );
    }, 'the delivery is listed with an attempt that was answered with 204');
    await world.fixtures.resendDelivery(extension.id, id);
    await receiver.waitForDelivery(
      (delivery) => delivery !== firstDelivery && delivery.headers['webhook-id'] === id,
      15,
    );
  },
});
