import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-029',
  suite: 'terminal',
  level: 'must',
  says: 'A terminal for a department refuses people of another one, after the proof.',
  covers: ['A terminal may be limited to departments; none means everyone of the company.'],
  async check(world) {
    const company = await world.company();
    const terminal = await world.terminal({ department_ids: [company.departments[1]!] });
    const { card } = await world.badge('desfire');
    (await terminal.hold(card)).is(403, 'department_not_allowed');
  },
});
