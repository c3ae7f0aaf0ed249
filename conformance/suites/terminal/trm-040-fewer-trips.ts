import { at } from '../../kit/json.js';
import { Breach, equal, requirement, Skipped } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-040',
  suite: 'terminal',
  level: 'should',
  says: 'With preludes, follow-up commands and an action a stamp takes two requests.',
  covers: ['/terminal/card takes the UID and answers with a card command or the result.'],
  async check(world) {
    const terminal = await world.terminal();
    const { api } = await world.extension();
    const { card, person } = await world.badge('desfire');
    await api.post('/api/v1/clock/out', { user_id: person.id });
    const preludes = (await terminal.status()).is(200).get('preludes');
    if (!Array.isArray(preludes)) throw new Skipped('the service offers no preludes');
    for (const prelude of preludes) {
      card.reset();
      const commands = [
        String(at(prelude, 'apdu')),
        ...(at(prelude, 'follow') as unknown[]).map((one) => String(at(one, 'apdu'))),
      ];
      const sent = commands.map((apdu) => ({ apdu, response: card.transmit(apdu), took_ms: 5 }));
      if (!sent.at(-1)!.response.endsWith('91af')) continue;
      const first = (await terminal.send('POST', '/api/v1/terminal/card', { uid: card.uid, sent, action: 'next' })).is(
        200,
      );
      const last = await terminal.send('POST', '/api/v1/terminal/card/step', {
        session: first.string('session'),
        response: card.transmit(first.string('apdu')),
      });
      equal(last.is(200).get('stamp.action'), 'in', 'stamp.action');
      return;
    }
    throw new Breach('no prelude fits the badge');
  },
});
