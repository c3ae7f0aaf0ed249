import { randomBytes } from 'node:crypto';
import { requirement } from '../../kit/requirement.js';
import { keyOf, Terminal } from '../../peers/terminal.js';
import { offline } from '../support.js';

export default requirement({
  id: 'TRM-008',
  suite: 'terminal',
  level: 'must',
  says: 'Before the confirmation a terminal can only ask for its status.',
  async check(world) {
    const { id, code } = await world.addedTerminal();
    const seed = randomBytes(32);
    const client = world.stranger();
    (await client.post('/api/v1/terminal/pair', { code, public_key: keyOf(seed).publicKey.toString('base64') })).is(
      201,
    );
    const terminal = new Terminal(client, id, seed);
    (await terminal.status()).is(200);
    (await terminal.send('POST', '/api/v1/terminal/card', { uid: '04782e21801d80' })).is(403, 'terminal_not_confirmed');
    (await offline(terminal, [{ number: 1, uid: '04782e21801d80', action: 'in', at: new Date().toISOString() }])).is(
      403,
      'terminal_not_confirmed',
    );
  },
});
