import { randomBytes } from 'node:crypto';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-038',
  suite: 'terminal',
  level: 'must',
  says: 'A stamp sent again with the same bytes is answered with its outcome; another request with its nonce is refused.',
  async check(world) {
    const terminal = await world.terminal();
    const { api } = await world.extension();
    const { card, person } = await world.badge('ntag424');
    await api.post('/api/v1/clock/out', { user_id: person.id });
    const session = (await terminal.hold(card)).is(200).string('session');
    const nonce = randomBytes(16).toString('base64url');
    const stamp = terminal.signRequest('POST', '/api/v1/terminal/stamp', { session, action: 'in' }, { nonce });
    (await terminal.transmit(stamp)).is(200);
    const repetition = (await terminal.transmit(stamp)).is(401, 'nonce_reused');
    equal(repetition.get('outcome.result'), 'recorded', 'outcome.result');
    equal(repetition.get('outcome.stamp.state'), 'in', 'outcome.stamp.state');
    const otherAnswer = (
      await terminal.send('POST', '/api/v1/terminal/stamp', { session, action: 'out' }, { nonce })
    ).is(401, 'nonce_reused');
    equal(otherAnswer.get('outcome'), undefined, 'outcome for another request');
  },
});
