import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-014',
  suite: 'terminal',
  level: 'must',
  says: "A time 58 seconds away is accepted, one 62 seconds away is refused with signature_time and the service's time.",
  async check(world) {
    const terminal = await world.terminal();
    const clockOffset = await world.ahead();
    const now = Math.floor((Date.now() + clockOffset) / 1_000);
    const from = Date.now();
    const at58 = async (delta: number) => {
      const answer = await terminal.send('GET', '/api/v1/terminal/status', undefined, { time: String(now + delta) });
      world.inTime(from, 3, 'until the answer');
      return answer;
    };
    (await at58(-56)).is(200);
    (await at58(58)).is(200);
    const refusal = (await at58(-62)).is(401, 'signature_time');
    ensure(
      Math.abs(Date.parse(refusal.string('server_time')) - clockOffset - Date.now()) < 60_000,
      'server_time is missing or wrong',
    );
    (await at58(64)).is(401, 'signature_time');
  },
});
