import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-030',
  suite: 'terminal',
  level: 'must',
  says: 'A second stamp of the same kind within the repeat lock records nothing and answers what was recorded.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.newPerson();
    const terminal = await world.terminal({ repeat_lock_seconds: 120 });
    const card = await world.issue(terminal, person, 'ntag424');
    (await terminal.stamp(card, 'in')).is(200);
    const repetition = (await terminal.stamp(card, 'out')).is(200);
    equal(repetition.get('repeated'), true, 'repeated');
    equal(repetition.get('action'), 'in', 'action');
    equal(repetition.get('state'), 'in', 'state');
    const states = (await api.get(`/api/v1/clock/states?user_id=${person.id}`)).is(200);
    equal(states.get('data.0.state'), 'in', 'the clock state');
  },
});
