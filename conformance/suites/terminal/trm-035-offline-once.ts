import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { offline } from '../support.js';

export default requirement({
  id: 'TRM-035',
  suite: 'terminal',
  level: 'must',
  says: 'An offline number is taken once: again it is a duplicate, with other content a conflict.',
  async check(world) {
    const terminal = await world.newTerminal();
    const person = await world.newPerson();
    const card = await world.issue(terminal, person, 'ntag424');
    const stamp = {
      number: 1,
      uid: card.uid,
      action: 'in',
      at: `${new Date().toISOString().slice(0, 19)}Z`,
    };
    const results = async (...stamps: unknown[]) =>
      (await offline(terminal, stamps))
        .is(200)
        .list('results')
        .map((row) => at(row, 'result'));
    equal(await results(stamp), ['accepted'], 'first');
    equal(await results(stamp), ['duplicate'], 'again');
    equal(await results({ ...stamp, action: 'out' }), ['conflict'], 'with other content');
    equal(await results({ ...stamp, number: 2 }), ['duplicate'], 'under another number');
  },
});
