import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock, connect, envelope, eventually, pull } from '../support.js';

export default requirement({
  id: 'SOC-002',
  suite: 'events',
  level: 'must',
  says: 'A clock-in arrives over the connection, with the same event as in the list.',
  covers: ['An extension in WebSocket mode receives over its connection.'],
  async check(world) {
    const extension = await world.newExtension({ mode: 'websocket' });
    const socket = await connect(world, extension);
    await socket.message(({ type }) => type === 'hello', 10);
    const person = await world.person();
    const { api } = await world.extension();
    const position = await envelope(api);
    (await clock(api, person, 'in')).is(200);
    const message = await socket.message(
      (frame) => at(frame, 'event.type') === 'clock.in' && at(frame, 'event.data.clock_state.user_id') === person.id,
      10,
    );
    const sequence = Number(at(message, 'event.sequence'));
    const eventOfFeed = await eventually(
      async () => (await pull(api, position)).find((event) => at(event, 'sequence') === sequence),
      'the event is listed',
    );
    equal(at(eventOfFeed, 'id'), at(message, 'event.id'), 'the id in the list');
    socket.close();
  },
});
