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
    const admin = await world.admin();
    const rotated = (await admin.post(`/app/admin/extensions/${extension.id}/webhook-secret`)).is(201);
    (await admin.post(`/app/admin/extensions/${extension.id}/ping`)).is(200);
    const { headers, body, at: now } = await receiver.received(() => true, 10);
    equal(String(headers['webhook-signature']).split(' ').length, 2, 'signatures');
    equal(refuseWebhook(headers, body, extension.secret, now), undefined, 'with the old secret');
    equal(refuseWebhook(headers, body, rotated.string('webhook_secret'), now), undefined, 'with the new secret');
  },
});
