import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-025',
  suite: 'terminal',
  level: 'must',
  says: 'A session is for one stamp of one terminal, and is over after session/end, which answers 204 twice.',
  covers: ['/terminal/session/end ends the session.', 'A session is for one stamp; ending it answers 204, also twice.'],
  async check(world) {
    const terminal = await world.terminal();
    const { api } = await world.extension();
    const { card, person } = await world.badge('desfire');
    await api.post('/api/v1/clock/out', { user_id: person.id });
    const otherTerminal = await world.newTerminal();
    const session = (await terminal.hold(card)).is(200).string('session');
    const from = Date.now();
    const stamp = (action: string) => terminal.send('POST', '/api/v1/terminal/stamp', { session, action });
    (await otherTerminal.send('POST', '/api/v1/terminal/stamp', { session, action: 'in' })).is(403, 'card_refused');
    const firstStamp = await stamp('in');
    world.inTime(from, 25, 'the stamp');
    firstStamp.is(200);
    (await stamp('out')).is(403, 'card_refused');
    for (let times = 0; times < 2; times++)
      (await terminal.send('POST', '/api/v1/terminal/session/end', { session })).is(204);
    const next = (await terminal.hold(card)).is(200).string('session');
    (await terminal.send('POST', '/api/v1/terminal/session/end', { session: next })).is(204);
    (await terminal.send('POST', '/api/v1/terminal/stamp', { session: next, action: 'out' })).is(403, 'card_refused');
  },
});
