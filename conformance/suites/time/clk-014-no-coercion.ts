import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-014',
  suite: 'time',
  level: 'must',
  says: 'user_id as text, as a fraction, zero, negative or beyond the safe integers is refused with 400.',
  covers: ['Write calls name a person by user_id, an integer.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    for (const value of [String(person.id), person.id + 0.5, 0, -person.id, 2 ** 53, null, true, [person.id]])
      (await api.post('/api/v1/clock/in', { user_id: value })).is(400, 'invalid_request');
  },
});
