import { randomBytes } from 'node:crypto';
import { expectRefusal } from '../../kit/adapter.js';
import { requirement } from '../../kit/requirement.js';
import { fingerprintOf, keyOf } from '../../peers/terminal.js';

export default requirement({
  id: 'TRM-009',
  suite: 'terminal',
  level: 'must',
  says: 'Confirming with another fingerprint is refused.',
  covers: ['An administrator confirms when the fingerprints match; the status then says confirmed.'],
  async check(world) {
    const { id, code } = await world.addedTerminal();
    (
      await world
        .stranger()
        .post('/api/v1/terminal/pair', { code, public_key: keyOf(randomBytes(32)).publicKey.toString('base64') })
    ).is(201);
    const otherFingerprint = fingerprintOf(keyOf(randomBytes(32)).publicKey);
    await expectRefusal(
      world.fixtures.confirmTerminal(id, otherFingerprint),
      'fingerprint_mismatch',
      'another fingerprint',
    );
  },
});
