import { at } from '../../kit/json.js';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, clock, envelope, eventually, pull } from '../support.js';

export default requirement({
  id: 'EVT-005',
  suite: 'events',
  level: 'must',
  says: 'A key sees only the events of records that it may read.',
  covers: [
    'Events have id, type, timestamp, sequence, epoch, company and the REST record; only what really changed is sent, to whom may read it.',
  ],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const position = await envelope(api);
    const leaveReader = await world.newExtension({ scopes: ['read:leave_entries'] });
    (await clock(api, person, 'in')).is(200);
    (await absence(world, api, person)).is(201);
    const types = await eventually(async () => {
      const types = (await pull(leaveReader.api, position)).map((event) => String(at(event, 'type')));
      return types.includes('leave.requested') ? types : undefined;
    }, 'leave.requested is listed');
    ensure(!types.some((type) => type.startsWith('clock.')), 'clock events are listed without their scopes');
  },
});
