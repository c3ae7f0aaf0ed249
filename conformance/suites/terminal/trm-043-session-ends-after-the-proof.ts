import { requirement } from '../../kit/requirement.js';
import { pause } from '../../kit/world.js';

export default requirement({
  id: 'TRM-043',
  suite: 'terminal',
  level: 'must',
  says: 'After the proof a session waits 30 seconds for the person and is then over.',
  waits: true,
  limit: 120,
  async check(world) {
    const terminal = await world.newTerminal({ repeat_lock_seconds: 0 });
    const person = await world.newPerson();
    const card = await world.issue(terminal, person, 'ntag424');
    const session = (await terminal.hold(card)).is(200).string('session');
    await pause(32_000);
    (await terminal.send('POST', '/api/v1/terminal/stamp', { session, action: 'in' })).is(403, 'card_refused');
  },
});
