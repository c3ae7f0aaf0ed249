import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-001',
  suite: 'oauth',
  level: 'must',
  says: 'Consent, exchange and a request with the access token work; code, state and issuer come back with the redirect.',
  covers: ['The exchange gives an access token for an hour and a refresh token.'],
  async check(world) {
    const app = await world.app();
    const { session, id } = await world.signedIn();
    const verifier = app.newVerifier();
    const redirect = await app.consent(session, verifier, ['read:clock_states', 'write:clock']);
    equal(redirect.searchParams.get('state'), 'a state of the app', 'state');
    const metadata = (await world.open.get('/.well-known/oauth-authorization-server')).is(200);
    equal(redirect.searchParams.get('iss'), metadata.string('issuer'), 'iss');
    ensure(redirect.href.startsWith(`${app.registered.redirectUri}?`), 'the redirect goes to another address');
    const tokens = (await app.exchange(redirect.searchParams.get('code') ?? '', verifier)).is(200);
    const me = (await world.bearer(tokens.string('access_token')).get('/api/v1/me')).is(200);
    equal(me.get('id'), id, 'the person of the link');
  },
});
