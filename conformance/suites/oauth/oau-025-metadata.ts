import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-025',
  suite: 'oauth',
  level: 'must',
  says: 'The metadata of RFC 8414 names issuer, endpoints, S256 and the grants.',
  covers: [
    'Linking is OAuth 2.0 with PKCE; only S256 is accepted.',
    'state is required; S256 only; iss comes back; metadata is published.',
  ],
  async check(world) {
    await world.needExtensions();
    const metadata = (await world.open.get('/.well-known/oauth-authorization-server')).is(200);
    const issuer = metadata.string('issuer');
    for (const [name, path] of [
      ['authorization_endpoint', '/oauth/authorize'],
      ['token_endpoint', '/oauth/token'],
      ['revocation_endpoint', '/oauth/revoke'],
    ] as const)
      equal(metadata.string(name), issuer + path, name);
    equal(metadata.get('code_challenge_methods_supported'), ['S256'], 'code_challenge_methods_supported');
    equal(metadata.get('response_types_supported'), ['code'], 'response_types_supported');
  },
});
