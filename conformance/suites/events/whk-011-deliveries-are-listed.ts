import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock, eventually } from '../support.js';

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
    const first = await receiver.received(() => true, 15);
    const id = String(first.headers['webhook-id']);
    const admin = await world.admin();
    const listed = await eventually(async () => {
      const found = (await admin.get(`/app/admin/extensions/${extension.id}/deliveries?state=delivered`))
        .is(200)
        .list('data');
      return found.find((one) => at(one, 'event_id') === id);
    }, 'the delivery is listed');
    equal(at(listed, 'attempts.0.status'), 204, 'the status of the attempt');
    (await admin.post(`/app/admin/extensions/${extension.id}/deliveries/${id}/resend`)).is(202);
    await receiver.received((delivery) => delivery !== first && delivery.headers['webhook-id'] === id, 15);
  },
});
