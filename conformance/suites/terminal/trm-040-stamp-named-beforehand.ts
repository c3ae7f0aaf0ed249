import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-040',
  suite: 'terminal',
  level: 'should',
  says: 'A stamp that is named with the card is recorded with the last step.',
  covers: ['/terminal/card takes the UID and answers with a card command or the result.'],
  async check(world) {
    const terminal = await world.terminal();
    const { api } = await world.extension();
    const { card, person } = await world.badge('desfire');
    await api.post('/api/v1/clock/out', { user_id: person.id });
    const firstAnswer = await terminal.send('POST', '/api/v1/terminal/card', { uid: card.uid, action: 'next' });
    const lastAnswer = await terminal.relay(card, firstAnswer);
    equal(lastAnswer.is(200).get('stamp.action'), 'in', 'stamp.action');
  },
});
