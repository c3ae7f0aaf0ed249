import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { offline } from '../support.js';

export default requirement({
  id: 'TRM-036',
  suite: 'terminal',
  level: 'must',
  says: 'Offline stamps older than 72 hours are too_old, those in the future in_future, those of a card that was no badge then unknown_card.',
  async check(world) {
    const terminal = await world.newTerminal();
    const person = await world.newPerson();
    const card = await world.issue(terminal, person, 'desfire');
    const instant = (minutes: number) => `${new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 19)}Z`;
    const answer = (
      await offline(terminal, [
        { number: 1, uid: card.uid, action: 'in', at: instant(0) },
        { number: 2, uid: card.uid, action: 'in', at: instant(-72 * 60 - 5) },
        { number: 3, uid: card.uid, action: 'in', at: instant(5) },
        { number: 4, uid: '04000000000000', action: 'in', at: instant(-5) },
        { number: 5, uid: card.uid, action: 'in', at: instant(-72 * 60 + 5) },
      ])
    ).is(200);
    equal(
      answer.list('results').map((row) => at(row, 'result')),
      ['accepted', 'too_old', 'in_future', 'unknown_card', 'unknown_card'],
      'results',
    );
  },
});
