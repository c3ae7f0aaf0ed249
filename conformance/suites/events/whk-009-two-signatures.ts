import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { refuseWebhook } from '../../peers/receiver.js';

export default requirement({
  id: 'WHK-009',
  suite: 'events',
  level: 'must',
  says: 'After a rotation deliveries carry two signatures, one for each secret.',
  async check(world) {
    const { receiver, extension } = await world.receiver();
    const rotation = await world.fixtures.rotateSecret(extension.id);
    await world.fixtures.ping(extension.id);
    const {
      headers,
      body,
      at: now,
    } = await receiver.waitForDelivery(({ body: text }) => String(text).includes('"ping"'), 10);
    equal(String(headers['webhook-signature']).split(' ').length, 2, 'signatures');
    equal(refuseWebhook(headers, body, extension.secret, now), undefined, 'with the old secret');
    equal(refuseWebhook(headers, body, rotation, now), undefined, 'with the new secret');
  },
});
