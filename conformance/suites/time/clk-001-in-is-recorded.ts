import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-001',
  suite: 'time',
  level: 'must',
  says: "Clocking in opens an entry at the server's time and the clock state becomes `in`.",
  covers: [
    'Mode API only: the extension calls with its key.',
    "There are four clock operations, in, out, break start and break end, at the server's time.",
  ],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const answer = (await clock(api, person, 'in')).is(200);
    equal(answer.get('clock_state.state'), 'in', 'clock_state.state');
    equal(answer.get('clock_state.user_id'), person.id, 'clock_state.user_id');
    equal(answer.get('time_entry.status'), 'open', 'time_entry.status');
    equal(answer.get('time_entry.start'), answer.get('clock_state.since'), 'time_entry.start');
    const differenceMs = Math.abs(Date.parse(answer.string('server_time')) - Date.now());
    ensure(differenceMs < 60_000, `server_time is ${differenceMs} ms away from the clock of the kit`);
  },
});
