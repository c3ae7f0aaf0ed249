import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-023',
  suite: 'terminal',
  level: 'must',
  says: 'A card that only sends a number gets 422 card_unsupported, and so does a phone with a random UID.',
  covers: ['T1.12', 'T5.15'],
  async check(world) {
    const terminal = await world.terminal();
    (await terminal.send('POST', '/api/v1/terminal/card', { uid: '0a1b2c3d' })).is(422, 'card_unsupported');
    (await terminal.send('POST', '/api/v1/terminal/card', { uid: '08a1b2c3' })).is(422, 'card_unsupported');
  },
});
