import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-026',
  suite: 'terminal',
  level: 'must',
  says: 'Balances need the PIN by default; the PIN is a string of six digits.',
  covers: ['T2.19', 'T2.24', 'T4.23', 'T5.16', 'T8.12', 'D7.10'],
  async check(world) {
    const terminal = await world.terminal({ show_info: true });
    const { card } = await world.badge('ntag424');
    const session = (await terminal.hold(card)).is(200).string('session');
    (await terminal.send('POST', '/api/v1/terminal/info', { session })).is(403, 'pin_required');
    for (const pin of [12345, '12345', '0123456', '０１２３４５', '012345\n'])
      (await terminal.send('POST', '/api/v1/terminal/info', { session, pin })).is(400, 'invalid_request');
    const info = (await terminal.send('POST', '/api/v1/terminal/info', { session, pin: '012345' })).is(200);
    for (const name of ['worked_today_minutes', 'balance_minutes', 'vacation_days_left']) info.number(name);
    const open = await world.terminal({ show_info: true, info_without_pin: true });
    const free = (await open.hold(card)).is(200).string('session');
    (await open.send('POST', '/api/v1/terminal/info', { session: free })).is(200);
  },
});
