import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-042',
  suite: 'terminal',
  level: 'must',
  says: 'Before the proof, and in its status, a terminal receives neither the name of a person nor the key of a card.',
  covers: [
    'The UID of a card is kept only as a keyed hash.',
    'The terminal holds no key of a card, no people and no assignments.',
  ],
  async check(world) {
    const terminal = await world.terminal();
    const { card, person } = await world.badge('desfire');
    const status = (await terminal.status()).is(200);
    ensure(!status.text.includes(person.firstName), 'the status names a person');
    ensure(!status.text.toLowerCase().includes(card.uid), 'the status holds the UID of a card');
    const firstAnswer = (await terminal.send('POST', '/api/v1/terminal/card', { uid: card.uid })).is(200);
    equal(firstAnswer.get('first_name'), undefined, 'first_name before the proof');
    ensure(!firstAnswer.text.includes(person.firstName), 'the first answer names the person');
    const audit = JSON.stringify(await world.audit('badge.'));
    ensure(!audit.toLowerCase().includes(card.uid), 'the audit log holds the UID of a card');
  },
});
