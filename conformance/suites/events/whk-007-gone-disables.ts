import { requirement } from '../../kit/requirement.js';
import { clock, eventually } from '../support.js';

export default requirement({
  id: 'WHK-007',
  suite: 'events',
  level: 'must',
  says: 'An answer 410 disables the endpoint.',
  covers: ['Redirects are not followed; failures are retried with the same id; 410 disables.'],
  waits: true,
  limit: 60,
  async check(world) {
    const { receiver, extension } = await world.receiver();
    receiver.answer = () => ({ status: 410 });
    const person = await world.newPerson();
    const { api } = await world.newExtension();
    (await clock(api, person, 'in')).is(200);
    await receiver.waitForDelivery(() => true, 15);
    await eventually(
      async () => ((await world.fixtures.showExtension(extension.id)).delivery_state === 'disabled' ? true : undefined),
      'delivery.state is disabled',
    );
  },
});
