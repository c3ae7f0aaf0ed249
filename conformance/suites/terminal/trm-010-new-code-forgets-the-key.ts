import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-010',
  suite: 'terminal',
  level: 'must',
  says: "A new pairing code makes the service forget the device's key at once.",
  async check(world) {
    const admin = await world.admin();
    const terminal = await world.newTerminal();
    (await terminal.status()).is(200);
    (await admin.post(`/app/admin/terminals/${terminal.id}/pairing-code`)).is(201);
    (await terminal.status()).is(401, 'signature_invalid');
  },
});
