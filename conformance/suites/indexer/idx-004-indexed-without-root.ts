import { equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-004',
  suite: 'indexer',
  level: 'must',
  says: 'Without a root there is never a match: the verdict is indexed and verified is null.',
  covers: [
    '/verify/{tx} gives a verdict, compared with root where given.',
    'Verdicts: match, mismatch, indexed without root, unknown with its reason; verified true, false or null.',
  ],
  async check(world) {
    const proof = world.target.proofs?.[0];
    if (proof === undefined) throw new Skipped('the target names no proof');
    const answer = (await world.indexer.get(`/api/v1/verify/${proof.tx}`)).is(200);
    equal(answer.get('verdict'), 'indexed', 'verdict');
    equal(answer.get('verified'), null, 'verified');
    equal(answer.get('proofs.0.merkle_root'), proof.merkle_root, 'proofs.0.merkle_root');
  },
});
