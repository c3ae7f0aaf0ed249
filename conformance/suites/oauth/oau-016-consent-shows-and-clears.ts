import { at } from '../../kit/json.js';
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
    const { browser } = await world.signedIn();
    const verifier = app.newVerifier();
    const { id, shown } = await app.ask(browser, verifier, { scope: 'read:clock_states write:clock' });
    equal(shown.get('lifetime_days'), 30, 'lifetime_days');
    equal(
      shown
        .list('scopes')
        .map((scope) => at(scope, 'scope'))
        .sort(),
      ['read:clock_states', 'write:clock'],
      'scopes',
    );
    ensure(shown.string('extension.name').startsWith('Kit'), 'the app is not named');
    const decided = (await browser.post(`/app/consent/${id}`, { decision: 'allow', scopes: ['read:clock_states'] })).is(
      200,
    );
    const code = new URL(decided.string('redirect_to')).searchParams.get('code') ?? '';
    const tokens = (await app.exchange(code, verifier)).is(200);
    equal(tokens.get('scope'), 'read:clock_states', 'scope');
    (await world.bearer(tokens.string('access_token')).post('/api/v1/clock/in')).is(403, 'insufficient_scope');
  },
});
