import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { type Delivery, refuseWebhook } from '../../peers/receiver.js';
import { about, clock } from '../support.js';

export default requirement({
  id: 'WHK-003',
  suite: 'events',
  level: 'must',
  says: 'A refused delivery comes again with the same id and a fresh time and signature.',
  waits: true,
  limit: 60,
  async check(world) {
    const { receiver, extension } = await world.receiver();
    const person = await world.newPerson();
    const isAboutPerson = about(person, 'clock.in');
    // A delivery may come twice at once: what counts is an attempt some seconds later.
    const isEarly = ({ at }: Delivery) =>
      receiver.deliveries.every((delivery) => !isAboutPerson(delivery) || at - delivery.at <= 3_000);
    receiver.answer = (delivery) => (isAboutPerson(delivery) && isEarly(delivery) ? { status: 500 } : undefined);
    const { api } = await world.newExtension();
    (await clock(api, person, 'in')).is(200);
    const firstDelivery = await receiver.waitForDelivery(isAboutPerson, 15);
    const id = firstDelivery.headers['webhook-id'];
    const secondDelivery = await receiver.waitForDelivery(
      (delivery) => delivery.at - firstDelivery.at > 3_000 && delivery.headers['webhook-id'] === id,
      25,
    );
    equal(
      refuseWebhook(secondDelivery.headers, secondDelivery.body, extension.secret, secondDelivery.at),
      undefined,
      'the signature of the second attempt',
    );
    ensure(secondDelivery.body.equals(firstDelivery.body), 'the body of the second attempt differs');
  },
});
