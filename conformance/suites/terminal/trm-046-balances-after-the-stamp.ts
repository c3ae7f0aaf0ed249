import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-046',
  suite: 'terminal',
  level: 'must',
  says: 'Balances can be asked for after the one stamp of a session too, until the session ends.',
  covers: ['Balances can be asked for until the session ends, also after its stamp.'],
  async check(world) {
    const terminal = await world.terminal({ show_info: true, info_without_pin: true });
    const { card } = await world.badge('ntag424');
    const proof = (await terminal.hold(card)).is(200);
    const session = proof.string('session');
    const info = () => terminal.send('POST', '/api/v1/terminal/info', { session });
    (await info()).is(200);
    const action = String(proof.list('actions')[0]);
    (await terminal.send('POST', '/api/v1/terminal/stamp', { session, action })).is(200);
    (await info()).is(200);
    (await terminal.send('POST', '/api/v1/terminal/session/end', { session })).is(204);
    (await info()).is(403, 'card_refused');
  },
});
