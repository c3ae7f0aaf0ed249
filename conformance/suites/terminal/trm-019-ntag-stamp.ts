import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-019',
  suite: 'terminal',
  level: 'must',
  says: 'An NTAG 424 DNA badge is issued, proves its key and stamps a whole day: in, break, back, out.',
  covers: ['/terminal/stamp stamps in, out or break after the card proved itself.'],
  async check(world) {
    const { api } = await world.extension();
    const terminal = await world.terminal();
    const { card, person } = await world.badge('ntag424');
    await api.post('/api/v1/clock/out', { user_id: person.id });
    for (const [action, state] of [
      ['in', 'in'],
      ['break_start', 'on_break'],
      ['break_end', 'in'],
      ['out', 'out'],
    ] as const)
      equal((await terminal.stamp(card, action)).is(200).get('state'), state, `state after ${action}`);
  },
});
