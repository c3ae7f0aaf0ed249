import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { refuseWebhook } from '../../peers/receiver.js';
import { about, clock } from '../support.js';

export default requirement({
  id: 'WHK-001',
  suite: 'events',
  level: 'must',
  says: 'A clock-in is delivered by POST with a signature that Standard Webhooks accepts.',
  covers: [
    'Mode Webhooks: POST requests go out when people clock in or out and when absences change.',
    'Webhooks go out for clock-in, clock-out and leave events.',
    'Webhooks follow Standard Webhooks: constant id, timestamp, signature; two signatures while rotating.',
  ],
  async check(world) {
    const { receiver, extension } = await world.receiver();
    const person = await world.person();
    const { api } = await world.extension();
    (await clock(api, person, 'in')).is(200);
    const delivery = await receiver.waitForDelivery(about(person, 'clock.in'), 15);
    equal(delivery.method, 'POST', 'method');
    equal(refuseWebhook(delivery.headers, delivery.body, extension.secret, delivery.at), undefined, 'the signature');
    const event = JSON.parse(String(delivery.body)) as unknown;
    equal(delivery.headers['webhook-id'], at(event, 'id'), 'webhook-id');
    equal(at(event, 'data.clock_state.user_id'), person.id, 'the person of the event');
  },
});
