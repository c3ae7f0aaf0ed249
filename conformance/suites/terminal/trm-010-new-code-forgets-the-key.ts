import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-010',
  suite: 'terminal',
  level: 'must',
  says: "A new pairing code makes the service forget the device's key at once.",
  async check(world) {
    const terminal = await world.newTerminal();
    (await terminal.status()).is(200);
    await world.fixtures.renewPairingCode(terminal.id);
    (await terminal.status()).is(401, 'signature_invalid');
  },
});
