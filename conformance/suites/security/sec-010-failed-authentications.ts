import { ensure, equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-010',
  suite: 'security',
  level: 'must',
  says: 'After 30 failed authentications in a minute an address gets 429 with Retry-After; valid keys behind it still work.',
  covers: [
    'Failed authentications are limited to 30 a minute per address.',
    'Each address has 30 failed authentications a minute.',
    'Valid keys behind an address that fails too often still work; limits name what is left in headers.',
  ],
  limit: 60,
  async check(world) {
    if (!world.local) throw new Skipped('the kit has one address towards the deployment');
    const fail = async () => {
      const attacker = world.stranger();
      const from = Date.now();
      const statuses: number[] = [];
      for (let tries = 0; tries < 32; tries++)
        statuses.push(
          (await attacker.get('/api/v1/users', { headers: { authorization: 'Bearer cpk_wrong' }, patient: false }))
            .status,
        );
      world.inTime(from, 45, 'thirty requests');
      return { attacker, statuses };
    };
    let { attacker, statuses } = await fail();
    // Where a minute ends and the next begins, there are thirty in each.
    if (statuses[31] !== 429) ({ attacker, statuses } = await fail());
    equal(
      statuses.slice(0, 30),
      Array.from({ length: 30 }, () => 401),
      'the first thirty',
    );
    equal(statuses[31], 429, 'the status after thirty failures');
    const refusal = (
      await attacker.get('/api/v1/users', { headers: { authorization: 'Bearer cpk_wrong' }, patient: false })
    ).is(429, 'rate_limited');
    ensure(Number(refusal.header('retry-after')) >= 1, 'Retry-After is missing');
    const { key } = await world.extension();
    (await attacker.get('/api/v1/users?limit=1', { headers: { authorization: `Bearer ${key}` } })).is(200);
  },
});
