import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-028',
  suite: 'terminal',
  level: 'must',
  says: 'The fifth wrong PIN locks it with 423 pin_locked; afterwards the right one is refused too.',
  covers: ['Five wrong PINs lock the PIN of the card for an hour.'],
  limit: 60,
  async check(world) {
    const terminal = await world.terminal({ badge_and_pin: true, show_info: true });
    const person = await world.signedIn(3);
    const card = await world.issue(terminal, person, 'desfire');
    const codes: unknown[] = [];
    for (let tries = 0; tries < 6; tries++) {
      const session = (await terminal.hold(card)).is(200).string('session');
      const pin = tries === 5 ? '012345' : '999999';
      const answer = await terminal.send('POST', '/api/v1/terminal/stamp', { session, action: 'in', pin });
      codes.push(`${answer.status} ${answer.string('code')}`);
    }
    equal(
      codes.slice(0, 4),
      Array.from({ length: 4 }, () => '403 pin_wrong'),
      'the first four',
    );
    equal(codes[5], '423 pin_locked', 'the right PIN after five wrong ones');
    const session = (await terminal.hold(card)).is(200).string('session');
    (await terminal.send('POST', '/api/v1/terminal/info', { session, pin: '012345' })).is(423, 'pin_locked');
  },
});
