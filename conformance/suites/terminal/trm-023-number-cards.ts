import { randomBytes } from 'node:crypto';
import { requirement } from '../../kit/requirement.js';
import type { Card } from '../../peers/card.js';

export default requirement({
  id: 'TRM-023',
  suite: 'terminal',
  level: 'must',
  says: 'A card that only sends a number gets 422 card_unsupported, and so do a phone with a random UID and, while a badge is issued, a card of another family.',
  covers: ['Cards that only send a number are not supported.'],
  async check(world) {
    const terminal = await world.terminal();
    (await terminal.send('POST', '/api/v1/terminal/card', { uid: '0a1b2c3d' })).is(422, 'card_unsupported');
    (await terminal.send('POST', '/api/v1/terminal/card', { uid: '08a1b2c3' })).is(422, 'card_unsupported');
    const [issuing, person] = [await world.newTerminal(), await world.newPerson()];
    await world.fixtures.startIssuing(issuing.id, person.id);
    // It has a UID of its own, and knows none of the commands: instruction not supported.
    const otherCard: Card = {
      uid: `04${randomBytes(6).toString('hex')}`,
      transmit: () => '6d00',
      reset: () => undefined,
    };
    (await issuing.hold(otherCard)).is(422, 'card_unsupported');
    await world.fixtures.endIssuing(issuing.id);
  },
});
