import { randomBytes } from 'node:crypto';
import { requirement } from '../../kit/requirement.js';
import { keyOf } from '../../peers/terminal.js';

export default requirement({
  id: 'TRM-005',
  suite: 'terminal',
  level: 'must',
  says: 'Keys of small order or not on the curve are refused, and the code remains usable.',
  async check(world) {
    const { code } = await world.addedTerminal();
    const client = world.stranger();
    const weakKeys = [
      '01'.padEnd(64, '0'),
      '00'.repeat(32),
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      'ff'.repeat(32),
    ];
    for (const hex of weakKeys)
      (await client.post('/api/v1/terminal/pair', { code, public_key: Buffer.from(hex, 'hex').toString('base64') })).is(
        400,
      );
    (
      await client.post('/api/v1/terminal/pair', {
        code,
        public_key: keyOf(randomBytes(32)).publicKey.toString('base64'),
      })
    ).is(201);
  },
});
