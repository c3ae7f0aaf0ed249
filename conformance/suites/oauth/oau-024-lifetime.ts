import { expectRefusal } from '../../kit/adapter.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-024',
  suite: 'oauth',
  level: 'must',
  says: 'The lifetime of links is a whole number from 30 to 365 days.',
  covers: [
    'The lifetime of links is 30 to 365 days, set per extension.',
    'A link expires after its lifetime, and the person must consent again.',
    'A link lives 30 to 365 days.',
  ],
  async check(world) {
    const app = await world.app();
    const setLifetime = (days: unknown) =>
      world.fixtures.changeExtension(app.registered.id, { link_lifetime_days: days as number });
    for (const days of [30, 365]) await setLifetime(days);
    for (const days of [29, 366, 0, 30.5, '90'])
      await expectRefusal(setLifetime(days), 'invalid_request', `a lifetime of ${JSON.stringify(days)} days`);
  },
});
