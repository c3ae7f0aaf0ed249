import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-041',
  suite: 'terminal',
  level: 'must',
  says: 'Malformed answers of a card are refused with 400 or end the session, never with a 5xx.',
  covers: ['/terminal/card/step takes each reply of the card and answers with the next command or the result.'],
  async check(world) {
    const terminal = await world.terminal();
    const { card } = await world.badge('desfire');
    for (const response of ['', 'f', 'zz', '00'.repeat(300), '9', '91 00', 12]) {
      const firstAnswer = (await terminal.send('POST', '/api/v1/terminal/card', { uid: card.uid })).is(200);
      const answer = await terminal.send('POST', '/api/v1/terminal/card/step', {
        session: firstAnswer.string('session'),
        response,
      });
      ensure(
        answer.status === 400 || answer.status === 403,
        `${JSON.stringify(response).slice(0, 30)} was answered with ${answer.status}`,
      );
    }
  },
});
