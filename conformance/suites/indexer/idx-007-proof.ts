import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-007',
  suite: 'indexer',
  level: 'must',
  says: 'A proof is found by its transaction, with sender, company token, period and root.',
  covers: ['A proof has tx, sender, company token, period and Merkle root.', '/proofs/{tx} gives one proof.'],
  async check(world) {
    for (const proof of (world.target.proofs ?? []).slice(0, 3)) {
      const answer = (await world.indexer.get(`/api/v1/proofs/${proof.tx}`)).is(200);
      for (const name of ['tx', 'sender', 'company_token', 'period', 'merkle_root'] as const)
        equal(answer.get(name), proof[name], name);
    }
  },
});
