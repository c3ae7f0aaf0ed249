import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-022',
  suite: 'oauth',
  level: 'must',
  says: 'Revoking and exchanging without a known client is refused with 401 invalid_client and WWW-Authenticate.',
  async check(world) {
    await world.needExtensions();
    const client = world.stranger();
    for (const path of ['/oauth/revoke', '/oauth/token']) {
      const form = { token: 'x', grant_type: 'refresh_token', refresh_token: 'x' };
      const answer = (
        await client.call('POST', path, {
          form: path.endsWith('token') ? { grant_type: 'refresh_token', refresh_token: 'x' } : { token: 'x' },
        })
      ).is(401, 'invalid_client');
      equal(answer.get('error'), 'invalid_client', 'error');
      ensure((answer.header('www-authenticate') ?? '').startsWith('Basic'), 'WWW-Authenticate misses Basic');
      const authorization = `Basic ${Buffer.from('cli_AAAAAAAAAAAAAAAAAAAA:cpk_wrong').toString('base64')}`;
      (
        await client.call('POST', path, {
          form: path.endsWith('token') ? { grant_type: form.grant_type, refresh_token: 'x' } : { token: 'x' },
          headers: { authorization: authorization },
        })
      ).is(401, 'invalid_client');
    }
  },
});
