import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-031',
  suite: 'terminal',
  level: 'must',
  says: 'A blocked badge is refused at once, and the person can block it.',
  async check(world) {
    const terminal = await world.terminal();
    const person = await world.signedIn(4);
    const card = await world.issue(terminal, person, 'ntag424');
    (await terminal.hold(card)).is(200);
    await world.fixtures.blockBadges(person.session);
    (await terminal.hold(card)).is(403, 'card_refused');
  },
});
