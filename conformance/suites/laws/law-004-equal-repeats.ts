import { randomBytes } from 'node:crypto';
import { ensureNone, unequalRepeats } from '../../kit/laws.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'LAW-004',
  suite: 'laws',
  level: 'must',
  says: 'A request that is repeated with its Idempotency-Key has the same answer, also after later changes.',
  last: true,
  async check(world) {
    const { api } = await world.newExtension();
    const person = await world.person();
    const newKey = () => ({ 'idempotency-key': `kit-${randomBytes(9).toString('hex')}` });
    const stamps = (['in', 'break/start', 'break/end', 'out'] as const).map(
      (operation) => [operation, newKey()] as const,
    );
    // The second round comes when the person is clocked out again.
    for (const round of [stamps, stamps])
      for (const [operation, key] of round) (await clock(api, person, operation, key)).is(200);
    const { monday, wednesday } = world.week();
    const days = { user_id: person.id, type: 'vacation', start_date: monday, end_date: wednesday };
    const key = newKey();
    for (let times = 0; times < 2; times++) (await api.post('/api/v1/absences', days, { headers: key })).is(201);
    ensureNone(unequalRepeats(world.exchanges));
  },
});
