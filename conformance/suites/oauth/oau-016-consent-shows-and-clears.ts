import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-016',
  suite: 'oauth',
  level: 'must',
  says: 'The consent shows app, permissions and lifetime; a permission that the person clears is not granted.',
  covers: ['The consent page shows app, permissions and lifetime; each permission may be cleared.'],
  async check(world) {
    const app = await world.app({ link_lifetime_days: 30 });
    const { session } = await world.signedIn();
    const verifier = app.newVerifier();
    const question = await app.ask(session, verifier, { scope: 'read:clock_states write:clock' });
    const consent = await world.fixtures.showConsent(session, question);
    equal(consent.lifetime_days, 30, 'lifetime_days');
    equal([...consent.scopes].sort(), ['read:clock_states', 'write:clock'], 'scopes');
    ensure(String(consent.app_name).startsWith('Kit'), 'the app is not named');
    const redirect = await world.fixtures.decideConsent(session, question, ['read:clock_states']);
    const code = new URL(redirect).searchParams.get('code') ?? '';
    const tokens = (await app.exchange(code, verifier)).is(200);
    equal(tokens.get('scope'), 'read:clock_states', 'scope');
    (await world.bearer(tokens.string('access_token')).post('/api/v1/clock/in')).is(403, 'insufficient_scope');
  },
});
