import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-004',
  suite: 'terminal',
  level: 'must',
  says: 'The page says that a pairing code is valid for ten minutes.',
  async check(world) {
    const { id } = await world.addedTerminal();
    const renewal = await world.fixtures.renewPairingCode(id);
    const minutes = (Date.parse(renewal.expires_at) - Date.now()) / 60_000;
    ensure(Math.abs(minutes - 10) < 1, `the code expires in ${minutes.toFixed(1)} minutes`);
  },
});
