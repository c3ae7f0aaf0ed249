import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import type { Ntag424 } from '../../peers/card.js';

export default requirement({
  id: 'TRM-033',
  suite: 'terminal',
  level: 'must',
  says: 'Issuing writes two keys that are neither zero nor those of another card of the company.',
  covers: [
    "The key of a card is derived from the company's card key and the UID.",
    'Issuing sets a key of the service on the card and checks it before the card is recorded.',
  ],
  async check(world) {
    const { card: firstCard } = await world.badge('ntag424');
    const terminal = await world.terminal();
    const person = await world.newPerson();
    const secondCard = (await world.issue(terminal, person, 'ntag424')) as Ntag424;
    const keys = [firstCard as Ntag424, secondCard].flatMap(({ memory }) =>
      memory.keys.slice(0, 2).map(({ key }) => Buffer.from(key.key).toString('hex')),
    );
    equal(new Set(keys).size, 4, 'different keys');
    ensure(!keys.includes('00'.repeat(16)), 'a key is still zero');
  },
});
