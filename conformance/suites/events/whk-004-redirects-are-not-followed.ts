import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { pause } from '../../kit/world.js';
import { about, clock } from '../support.js';

export default requirement({
  id: 'WHK-004',
  suite: 'events',
  level: 'must',
  says: 'A redirect is a failed attempt and is not followed.',
  covers: [
    'WEBHOOK_ALLOW_PRIVATE_TARGETS is off by default: loopback, private and link-local targets are refused, through redirects and DNS rebinding too.',
  ],
  waits: true,
  limit: 60,
  async check(world) {
    const { receiver } = await world.receiver();
    const person = await world.newPerson();
    const isStamp = about(person, 'clock.in');
    // An event about the person that fails holds up the next one: the notice that they were added is taken.
    receiver.answer = (delivery) =>
      isStamp(delivery)
        ? { status: receiver.deliveries.length % 2 === 0 ? 307 : 302, headers: { location: '/elsewhere' } }
        : undefined;
    const { api } = await world.newExtension();
    (await clock(api, person, 'in')).is(200);
    await receiver.waitForDelivery(isStamp, 15);
    await pause(1_500);
    equal(
      receiver.deliveries.filter(({ path }) => path === '/elsewhere').length,
      0,
      'requests to the target of the redirect',
    );
  },
});
