import { requirement } from '../../kit/requirement.js';
import { Parrot } from '../../peers/card.js';

export default requirement({
  id: 'TRM-021',
  suite: 'terminal',
  level: 'must',
  says: 'A recorded dialogue is refused: every proof begins with a fresh challenge.',
  covers: ['Each stamp begins with a fresh challenge; copies, other keys and replays are refused and audited.'],
  async check(world) {
    const terminal = await world.terminal();
    for (const family of ['desfire', 'ntag424'] as const) {
      const { card } = await world.badge(family);
      const replies: string[] = [];
      const command = await terminal.send('POST', '/api/v1/terminal/card', { uid: card.uid });
      (await terminal.relay(card, command, replies)).is(200);
      const replayAnswer = await terminal.hold(new Parrot(card.uid, replies));
      replayAnswer.is(403, 'card_refused');
    }
  },
});
