import { requirement } from '../../kit/requirement.js';
import { pause } from '../../kit/world.js';

export default requirement({
  id: 'SEC-035',
  suite: 'security',
  level: 'must',
  says: 'A key with a date on which it expires works until then, and is refused with token_expired afterwards.',
  covers: ['A key may have a date on which it expires.'],
  waits: true,
  async check(world) {
    const clockOffset = await world.ahead();
    const from = Date.now();
    const expires = new Date(Date.now() + clockOffset + 6_000).toISOString();
    const { api } = await world.newExtension({ expires_at: expires });
    const answer = await api.get('/api/v1/companies');
    world.inTime(from, 5, 'until the answer');
    answer.is(200);
    await pause(Date.parse(expires) - clockOffset - Date.now() + 1_500);
    (await api.get('/api/v1/companies')).is(401, 'token_expired');
  },
});
