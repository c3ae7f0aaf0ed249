import { randomBytes } from 'node:crypto';
import { requirement } from '../../kit/requirement.js';
import { keyOf } from '../../peers/terminal.js';

export default requirement({
  id: 'SEC-031',
  suite: 'security',
  level: 'must',
  says: 'Switching terminals off refuses their requests with feature_disabled, and switching them on again needs no new pairing.',
  covers: ['Terminals are off by default; a super admin switches them on.'],
  last: true,
  limit: 60,
  async check(world) {
    world.needIntrusion('no terminal of the deployment can stamp meanwhile');
    const terminal = await world.newTerminal();
    await world.fixtures.changeFeatures({ terminals: false });
    try {
      (await terminal.send('POST', '/api/v1/terminal/card', { uid: '04782e21801d80' })).is(403, 'feature_disabled');
      (await terminal.status()).is(403, 'feature_disabled');
      const session = `csn_${'a'.repeat(20)}`;
      (await terminal.send('POST', '/api/v1/terminal/session/end', { session })).is(403, 'feature_disabled');
      const stamps = [{ number: 1, uid: '04782e21801d80', action: 'in', at: new Date().toISOString() }];
      for (const [path, body] of [
        ['card/step', { session, response: '9100' }],
        ['stamp', { session, action: 'in' }],
        ['offline', { stamps }],
      ] as const)
        (await terminal.send('POST', `/api/v1/terminal/${path}`, body)).is(403, 'feature_disabled');
      const key = keyOf(randomBytes(32)).publicKey.toString('base64');
      const pairing = { code: 'AAAA-AAAA', public_key: key };
      (await world.stranger().post('/api/v1/terminal/pair', pairing)).is(403, 'feature_disabled');
    } finally {
      await world.fixtures.changeFeatures({ terminals: true });
    }
    (await terminal.status()).is(200);
  },
});
