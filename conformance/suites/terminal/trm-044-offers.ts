import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-044',
  suite: 'terminal',
  level: 'must',
  says: 'The status says which actions the terminal offers and how it is set.',
  covers: ['/terminal/status says whether it is confirmed, the name and what the terminal offers.'],
  async check(world) {
    const terminal = await world.terminal();
    const status = (await terminal.status()).is(200);
    equal([...status.list('offers.actions')].sort(), ['break_end', 'break_start', 'in', 'out'], 'offers.actions');
    for (const name of ['info', 'info_without_pin', 'badge_and_pin', 'offline'])
      ensure(typeof status.get(`offers.${name}`) === 'boolean', `offers.${name} is missing`);
    ensure(Math.abs(Date.parse(status.string('server_time')) - Date.now()) < 60_000, 'server_time is wrong');
    equal(Buffer.from(status.string('seal_key'), 'base64').length, 32, 'bytes of seal_key');
  },
});
