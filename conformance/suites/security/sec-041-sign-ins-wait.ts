import { equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-041',
  suite: 'security',
  level: 'must',
  says: 'Sign-ins from an address that failed too often wait; from another address the same person signs in.',
  limit: 60,
  async check(world) {
    if (!world.local) throw new Skipped('the kit has one address towards the deployment');
    const pages = await world.pages();
    const { email, password } = pages.superAdmin;
    const signIn = async () => {
      const attacker = world.stranger().with({ origin: world.open.base, 'sec-fetch-site': 'same-origin' });
      const startedAt = Date.now();
      for (let tries = 0; tries < 31; tries++)
        await attacker.get('/api/v1/users', { headers: { authorization: 'Bearer cpk_wrong' }, patient: false });
      const answer = await attacker.post('/app/sign-in', { email, password }, { patient: false });
      world.inTime(startedAt, 45, 'thirty requests');
      return answer;
    };
    let refusal = await signIn();
    // Where a minute ends and the next begins, there are thirty in each.
    if (refusal.status !== 429) refusal = await signIn();
    equal([refusal.status, refusal.get('code')], [429, 'rate_limited'], 'the sign-in behind the address');
    (await pages.newBrowser().post('/app/sign-in', { email, password })).is(200);
  },
});
