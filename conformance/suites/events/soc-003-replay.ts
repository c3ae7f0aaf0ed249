import { at } from '../../kit/json.js';
import { requirement } from '../../kit/requirement.js';
import { clock, connect, envelope } from '../support.js';

export default requirement({
  id: 'SOC-003',
  suite: 'events',
  level: 'must',
  says: 'after replays what came since, and goes on without a gap.',
  covers: ['The socket says hello, sends events, and replays after a position.'],
  async check(world) {
    const extension = await world.newExtension({ mode: 'websocket' });
    const { api } = await world.extension();
    const person = await world.person();
    const position = await envelope(api);
    (await clock(api, person, 'in')).is(200);
    const socket = await connect(world, extension, `?after=${position}`);
    await socket.message(
      (frame) => at(frame, 'event.type') === 'clock.in' && at(frame, 'event.data.clock_state.user_id') === person.id,
      10,
    );
    (await clock(api, person, 'out')).is(200);
    await socket.message(
      (frame) => at(frame, 'event.type') === 'clock.out' && at(frame, 'event.data.clock_state.user_id') === person.id,
      10,
    );
    socket.close();
  },
});
