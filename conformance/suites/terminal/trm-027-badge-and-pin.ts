import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { stampEntry } from '../support.js';

export default requirement({
  id: 'TRM-027',
  suite: 'terminal',
  level: 'must',
  says: 'A terminal for badge and PIN refuses a stamp without the PIN, and the entry shows both.',
  covers: ['A terminal may require badge and PIN to stamp.'],
  async check(world) {
    const terminal = await world.terminal({ badge_and_pin: true });
    const { api } = await world.extension();
    const { card, person } = await world.badge('ntag424');
    await api.post('/api/v1/clock/out', { user_id: person.id });
    const proof = (await terminal.hold(card)).is(200);
    equal(proof.get('pin_required'), true, 'pin_required');
    const session = proof.string('session');
    (await terminal.send('POST', '/api/v1/terminal/stamp', { session, action: 'in' })).is(403, 'pin_required');
    const refusal = (
      await terminal.send('POST', '/api/v1/terminal/stamp', { session, action: 'in', pin: '999999' })
    ).is(403, 'pin_wrong');
    equal(refusal.get('tries_left'), 4, 'tries_left');
    (await terminal.send('POST', '/api/v1/terminal/stamp', { session, action: 'in', pin: '012345' })).is(200);
    equal(at(await stampEntry(api, person), 'proof'), 'badge_pin', 'proof');
  },
});
