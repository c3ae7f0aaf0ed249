import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-002',
  suite: 'oauth',
  level: 'must',
  says: 'The token answer says Bearer, one hour, the granted scopes, the end of the link, and is not stored by caches.',
  covers: ['The token answer has expires_in 3600, scope, link_expires_at and no-store.'],
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const verifier = app.newVerifier();
    const redirect = await app.consent(session, verifier, ['write:clock', 'read:clock_states']);
    const answer = (await app.exchange(redirect.searchParams.get('code') ?? '', verifier)).is(200);
    equal(answer.get('token_type'), 'Bearer', 'token_type');
    equal(answer.get('expires_in'), 3_600, 'expires_in');
    equal(answer.string('scope').split(' ').sort(), ['read:clock_states', 'write:clock'], 'scope');
    const days = (Date.parse(answer.string('link_expires_at')) - Date.now()) / 86_400_000;
    ensure(Math.abs(days - 90) < 1.1, `the link ends in ${days.toFixed(1)} days instead of 90`);
    ensure((answer.header('cache-control') ?? '').includes('no-store'), 'Cache-Control misses no-store');
  },
});
