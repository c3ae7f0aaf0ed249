import { equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-003',
  suite: 'indexer',
  level: 'must',
  says: 'Another root is a mismatch, however close it is.',
  async check(world) {
    const proof = world.target.proofs?.[0];
    if (proof === undefined) throw new Skipped('the target names no proof');
    const root = proof.merkle_root;
    const last = root.endsWith('0') ? '1' : '0';
    for (const wrongRoot of [
      `${root.slice(0, -1)}${last}`,
      '0'.repeat(64),
      `${root.startsWith('f') ? 'e' : 'f'}${root.slice(1)}`,
    ]) {
      const answer = (await world.indexer.get(`/api/v1/verify/${proof.tx}?root=${wrongRoot}`)).is(200);
      equal(answer.get('verdict'), 'mismatch', `verdict for ${wrongRoot.slice(0, 10)}…`);
      equal(answer.get('verified'), false, 'verified');
    }
  },
});
