import { Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { quotaOf } from '../support.js';

export default requirement({
  id: 'SEC-013',
  suite: 'security',
  level: 'must',
  says: 'A valid credential of another kind is 403 wrong_credential_kind and counts as no failed authentication.',
  async check(world) {
    const { key } = await world.newExtension();
    const client = world.stranger().with({ authorization: `Bearer ${key}` });
    const quota = quotaOf(await client.get('/api/v1/users?limit=1'));
    if (quota < 40) throw new Skipped(`the limit is ${quota} a minute`);
    for (let tries = 0; tries < 35; tries++)
      (await client.get('/api/v1/me', { patient: false })).is(403, 'wrong_credential_kind');
    (await client.get('/api/v1/users?limit=1')).is(200);
    const app = await world.app();
    const { session } = await world.signedIn();
    const { access } = await app.link(session, ['read:clock_states']);
    (await world.bearer(access).get('/api/v1/users')).is(403, 'wrong_credential_kind');
  },
});
