import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { refuseWebhook } from '../../peers/receiver.js';

export default requirement({
  id: 'WHK-002',
  suite: 'events',
  level: 'must',
  says: 'The signature covers the body and the time: with one byte changed it is not valid.',
  async check(world) {
    const { receiver, extension } = await world.receiver();
    await world.fixtures.ping(extension.id);
    const {
      headers,
      body,
      at: now,
    } = await receiver.waitForDelivery(({ body: text }) => String(text).includes('"ping"'), 10);
    equal(refuseWebhook(headers, body, extension.secret, now), undefined, 'the signature');
    const changedBody = Buffer.from(body);
    changedBody[changedBody.length - 2]! ^= 1;
    ensure(
      refuseWebhook(headers, changedBody, extension.secret, now) !== undefined,
      'a changed body has a valid signature',
    );
    const laterHeaders = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) };
    ensure(
      refuseWebhook(laterHeaders, body, extension.secret, now) !== undefined,
      'a changed time has a valid signature',
    );
    ensure(refuseWebhook(headers, body, 'whsec_AAAA', now) !== undefined, 'another secret has a valid signature');
  },
});
