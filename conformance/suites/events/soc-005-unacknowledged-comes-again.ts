import { at } from '../../kit/json.js';
import { ensure, requirement } from '../../kit/requirement.js';
import { pause } from '../../kit/world.js';
import { clock, connected } from '../support.js';

export default requirement({
  id: 'SOC-005',
  suite: 'events',
  level: 'must',
  says: 'An event that is not acknowledged comes again after 30 seconds, in the same envelope.',
  covers: [
    'The socket says hello, sends events with envelopes, repeats what is not acknowledged after 30 s, replays after a position.',
  ],
  waits: true,
  limit: 90,
  async check(world) {
    const extension = await world.newExtension({ mode: 'websocket' });
    const socket = await connected(world, extension);
    const person = await world.newPerson();
    const { api } = await world.newExtension();
    (await clock(api, person, 'in')).is(200);
    const mine = (one: Record<string, unknown>) => at(one, 'event.data.clock_state.user_id') === person.id;
    const first = await socket.message(mine, 10);
    await pause(34_000);
    const again = socket.messages.filter((one) => mine(one) && one['envelope_id'] === first['envelope_id']);
    ensure(again.length >= 2, 'the event did not come again');
    socket.close();
  },
});
