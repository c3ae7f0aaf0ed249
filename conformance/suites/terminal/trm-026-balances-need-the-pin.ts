import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-026',
  suite: 'terminal',
  level: 'must',
  says: 'Balances need the PIN by default; the PIN is a string of six digits.',
  covers: [
    'Time and vacation are shown with the PIN, or without where the terminal allows it.',
    'Each person has a PIN of six digits.',
    '/terminal/info gives balances, after the PIN by default.',
    'A first name is sent only after the proof, and balances only after the PIN, unless they are shown without it.',
    'A PIN has six digits; five wrong ones lock it for an hour.',
    'pin_wrong says how many tries are left, the fifth locks with 423; the PIN is a string of six digits.',
  ],
  async check(world) {
    const terminal = await world.terminal({ show_info: true });
    const { card } = await world.badge('ntag424');
    const session = (await terminal.hold(card)).is(200).string('session');
    (await terminal.send('POST', '/api/v1/terminal/info', { session })).is(403, 'pin_required');
    for (const pin of [12345, '12345', '0123456', '０１２３４５', '012345\n'])
      (await terminal.send('POST', '/api/v1/terminal/info', { session, pin })).is(400, 'invalid_request');
    const info = (await terminal.send('POST', '/api/v1/terminal/info', { session, pin: '012345' })).is(200);
    for (const name of ['worked_today_minutes', 'balance_minutes', 'vacation_days_left']) info.number(name);
    const openTerminal = await world.terminal({ show_info: true, info_without_pin: true });
    const free = (await openTerminal.hold(card)).is(200).string('session');
    (await openTerminal.send('POST', '/api/v1/terminal/info', { session: free })).is(200);
  },
});
