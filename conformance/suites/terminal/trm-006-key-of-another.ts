import { randomBytes } from 'node:crypto';
import { requirement } from '../../kit/requirement.js';
import { keyOf } from '../../peers/terminal.js';

export default requirement({
  id: 'TRM-006',
  suite: 'terminal',
  level: 'must',
  says: 'A public key belongs to one terminal: with the key of another one pairing is refused with 409, and the code remains usable.',
  covers: [
    'Pairing code: XXXX-XXXX, dead after ten wrong tries, weak keys leave it usable, a key belongs to one terminal.',
  ],
  async check(world) {
    const firstTerminal = await world.newTerminal();
    const { code } = await world.addedTerminal();
    const client = world.stranger();
    const publicKey = keyOf(firstTerminal.seed).publicKey.toString('base64');
    (await client.post('/api/v1/terminal/pair', { code, public_key: publicKey })).is(409, 'public_key_in_use');
    (
      await client.post('/api/v1/terminal/pair', {
        code,
        public_key: keyOf(randomBytes(32)).publicKey.toString('base64'),
      })
    ).is(201);
  },
});
