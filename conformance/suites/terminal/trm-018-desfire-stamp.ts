import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { stampEntry } from '../support.js';

export default requirement({
  id: 'TRM-018',
  suite: 'terminal',
  level: 'must',
  says: 'A DESFire badge is issued, proves its key and stamps; the entry names the terminal and the badge.',
  covers: [
    'A badge is an ISO 14443 card with AES-128 mutual authentication, which proves at every stamp that it holds its key; a copy is refused.',
    'Stamps at a terminal are in the audit log, with the terminal.',
  ],
  async check(world) {
    const { api } = await world.extension();
    const terminal = await world.terminal();
    const { card, person } = await world.badge('desfire');
    await api.post('/api/v1/clock/out', { user_id: person.id });
    const proof = (await terminal.hold(card)).is(200);
    equal(proof.get('result'), 'proved', 'result');
    equal(proof.get('first_name'), person.firstName, 'first_name');
    equal(proof.get('state'), 'out', 'state');
    equal(proof.get('actions.0'), 'in', 'the first action');
    const stamp = (
      await terminal.send('POST', '/api/v1/terminal/stamp', { session: proof.string('session'), action: 'in' })
    ).is(200);
    equal(stamp.get('state'), 'in', 'state after the stamp');
    const entry = await stampEntry(api, person);
    equal(at(entry, 'source.kind'), 'terminal', 'source.kind');
    equal(at(entry, 'source.id'), terminal.id, 'source.id');
    equal(at(entry, 'proof'), 'badge', 'proof');
    const entries = await world.audit('clock.in');
    ensure(
      entries.some((entry) => JSON.stringify(entry).includes(terminal.id)),
      'the audit log does not name the terminal',
    );
  },
});
