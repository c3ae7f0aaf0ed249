import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-039',
  suite: 'terminal',
  level: 'must',
  says: 'An impossible stamp is refused with the code of the clock operation.',
  covers: ['not_clocked_in, already_on_break and not_on_break refuse the other impossible clock operations.'],
  async check(world) {
    const terminal = await world.terminal();
    const { api } = await world.extension();
    const { card, person } = await world.badge('desfire');
    await api.post('/api/v1/clock/out', { user_id: person.id });
    (await terminal.stamp(card, 'out')).is(409, 'not_clocked_in');
    (await terminal.stamp(card, 'in')).is(200);
    (await terminal.stamp(card, 'in')).is(409, 'already_clocked_in');
  },
});
