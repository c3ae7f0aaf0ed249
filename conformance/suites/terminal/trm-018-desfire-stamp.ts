import { at } from '../../kit/json.js';
import { ensure, equal, requirement } from '../../kit/requirement.js';
import { stampEntry } from '../support.js';

export default requirement({
  id: 'TRM-018',
  suite: 'terminal',
  level: 'must',
  says: 'A DESFire badge is issued, proves its key and stamps; the entry names the terminal and the badge.',
  covers: ['T1.11', 'T2.22', 'T3.21', 'T3.22', 'T4.20', 'T4.21', 'T4.22', 'T6.4', 'T2.3', 'T5.14'],
  async check(world) {
    const { api } = await world.extension();
    const terminal = await world.terminal();
    const { card, person } = await world.badge('desfire');
    await api.post('/api/v1/clock/out', { user_id: person.id });
    const proved = (await terminal.hold(card)).is(200);
    equal(proved.get('result'), 'proved', 'result');
    equal(proved.get('first_name'), person.firstName, 'first_name');
    equal(proved.get('state'), 'out', 'state');
    equal(proved.get('actions.0'), 'in', 'the first action');
    const stamp = (
      await terminal.send('POST', '/api/v1/terminal/stamp', { session: proved.string('session'), action: 'in' })
    ).is(200);
    equal(stamp.get('state'), 'in', 'state after the stamp');
    const entry = await stampEntry(api, person);
    equal(at(entry, 'source.kind'), 'terminal', 'source.kind');
    equal(at(entry, 'source.id'), terminal.id, 'source.id');
    equal(at(entry, 'proof'), 'badge', 'proof');
    const entries = await world.audit('clock.in');
    ensure(
      entries.some((one) => JSON.stringify(one).includes(terminal.id)),
      'the audit log does not name the terminal',
    );
  },
});
