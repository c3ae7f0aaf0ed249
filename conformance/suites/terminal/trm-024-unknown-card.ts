import { randomBytes } from 'node:crypto';
import { requirement } from '../../kit/requirement.js';
import { Desfire } from '../../peers/card.js';

export default requirement({
  id: 'TRM-024',
  suite: 'terminal',
  level: 'must',
  says: 'A card that belongs to no person is refused with the same code as a copy.',
  async check(world) {
    const terminal = await world.terminal();
    const answer = await terminal.hold(new Desfire({ uid: `04${randomBytes(6).toString('hex')}` }));
    answer.is(403, 'card_refused');
  },
});
