import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { seal } from '../../peers/hpke.js';
import { offline } from '../support.js';

export default requirement({
  id: 'TRM-037',
  suite: 'terminal',
  level: 'must',
  says: 'A stamp sealed to the seal key counts like a plain one, and only for its terminal and number.',
  covers: ['Sealed stamps are HPKE to the seal key, bound to terminal and number.'],
  async check(world) {
    const terminal = await world.newTerminal();
    const person = await world.newPerson();
    const card = await world.issue(terminal, person, 'ntag424');
    const recipient = Buffer.from((await terminal.status()).is(200).string('seal_key'), 'base64');
    const text = JSON.stringify({
      uid: card.uid,
      action: 'in',
      at: `${new Date().toISOString().slice(0, 19)}Z`,
    });
    const sealedText = seal(recipient, `${terminal.id}\n1`, text);
    const movedAnswer = (await offline(terminal, [{ number: 2, sealed: sealedText }])).is(200);
    equal(movedAnswer.get('results.0.result'), 'unknown_card', 'a sealed stamp under another number');
    const firstAnswer = (await offline(terminal, [{ number: 1, sealed: sealedText }])).is(200);
    equal(firstAnswer.get('results.0.result'), 'accepted', 'a sealed stamp');
    const repetition = (
      await offline(terminal, [{ number: 1, sealed: seal(recipient, `${terminal.id}\n1`, text) }])
    ).is(200);
    equal(repetition.get('results.0.result'), 'duplicate', 'the same stamp, sealed again');
  },
});
