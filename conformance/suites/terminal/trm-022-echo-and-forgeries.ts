import { requirement } from '../../kit/requirement.js';
import { Parrot } from '../../peers/card.js';

export default requirement({
  id: 'TRM-022',
  suite: 'terminal',
  level: 'must',
  says: 'A card that echoes the challenge, answers with zeros or claims success is refused.',
  async check(world) {
    const terminal = await world.terminal();
    const { card } = await world.badge('desfire');
    for (const replies of [
      ['9100', `${'00'.repeat(16)}91af`, `${'00'.repeat(16)}9100`],
      ['9100', '9100', '9100'],
      ['9100', `${'ff'.repeat(16)}91af`, '9100'],
      ['9100', `${'ab'.repeat(16)}9100`, ''],
      ['9000', '9000', '9000'],
    ])
      (await terminal.hold(new Parrot(card.uid, replies))).is(403, 'card_refused');
  },
});
