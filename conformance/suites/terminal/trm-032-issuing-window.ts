import { randomBytes } from 'node:crypto';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { Ntag424 } from '../../peers/card.js';

export default requirement({
  id: 'TRM-032',
  suite: 'terminal',
  level: 'must',
  says: 'Issuing waits two minutes, says for whom, refuses a card that has keys of others, and lets a new holder choose a PIN.',
  covers: ['A badge is issued to a chosen person with a card in factory state, within two minutes.'],
  async check(world) {
    const terminal = await world.newTerminal();
    const person = await world.newPerson();
    await world.fixtures.startIssuing(terminal.id, person.id);
    const status = (await terminal.status()).is(200);
    equal(status.get('issuing.person_first_name'), person.firstName, 'issuing.person_first_name');
    const seconds = (Date.parse(status.string('issuing.expires_at')) - Date.now()) / 1_000;
    ensure(seconds > 60 && seconds <= 125, `issuing waits ${seconds.toFixed(0)} more seconds`);
    const usedCard = new Ntag424({ stampKey: randomBytes(16) });
    const refusal = await terminal.hold(usedCard);
    ensure(refusal.get('result') !== 'issued', 'a card with keys of others was issued');
    ensure(!(await world.fixtures.showIssuing(terminal.id)).issued, 'a badge was recorded');
    // It still waits, and somebody without a PIN chooses one there.
    const issuing = await terminal.hold(new Ntag424());
    equal(issuing.get('choose_pin'), true, 'choose_pin of a new badge');
    const choice = { session: issuing.string('session'), pin: '314159' };
    (await terminal.send('POST', '/api/v1/terminal/pin', choice)).is(204);
  },
});
