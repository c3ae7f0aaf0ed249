import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock, envelope, eventually, pull } from '../support.js';

export default requirement({
  id: 'EVT-001',
  suite: 'events',
  level: 'must',
  says: 'The list gives every event once, in the order of its sequence, with the REST record.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const position = await envelope(api);
    for (const operation of ['in', 'out'] as const) (await clock(api, person, operation)).is(200);
    const events = await eventually(async () => {
      const events = (await pull(api, position)).filter(
        (event) =>
          String(at(event, 'type')).startsWith('clock.') && at(event, 'data.clock_state.user_id') === person.id,
      );
      return events.length >= 2 ? events : undefined;
    }, 'both events are listed');
    equal(
      events.map((event) => at(event, 'type')),
      ['clock.in', 'clock.out'],
      'types',
    );
    for (const event of events) {
      const place = Number(at(event, 'sequence')).toString(16).padStart(14, '0');
      equal(at(event, 'id'), `evt_${String(at(event, 'epoch'))}${place}`, 'the id of an event');
    }
    const remainder = await pull(api, String(at(events[0], 'id')));
    ensure(!remainder.some((event) => at(event, 'id') === at(events[0], 'id')), 'an event follows its own id');
    ensure(
      remainder.some((event) => at(event, 'id') === at(events[1], 'id')),
      'the id of an event is no position',
    );
    const company = await world.company();
    equal(at(events[0], 'company_id'), company.id, 'company_id');
    for (const event of events) {
      const mismatch = world.contract.mismatch('service', 'Event', event);
      ensure(mismatch === undefined, `an event does not match its schema: ${mismatch}`);
    }
  },
});
