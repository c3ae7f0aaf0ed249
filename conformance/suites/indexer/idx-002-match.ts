import { equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-002',
  suite: 'indexer',
  level: 'must',
  says: 'The right root of a proof is a match, in any case and with 0x.',
  covers: [
    'A read-only API lets anybody verify a proof, also after the node pruned it.',
    'The verdict says whether the indexed proof matches the expected root.',
  ],
  async check(world) {
    const proof = world.target.proofs?.[0];
    if (proof === undefined) throw new Skipped('the target names no proof');
    const root = proof.merkle_root;
    for (const spelling of [root, root.toUpperCase(), `0x${root}`, `0X${root.toUpperCase()}`]) {
      const answer = (await world.indexer.get(`/api/v1/verify/${proof.tx}?root=${spelling}`)).is(200);
      equal(answer.get('verdict'), 'match', `verdict for ${spelling.slice(0, 10)}…`);
      equal(answer.get('verified'), true, 'verified');
    }
  },
});
