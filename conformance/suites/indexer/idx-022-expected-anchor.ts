import { equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-022',
  suite: 'indexer',
  level: 'should',
  says: 'A root that another company, period or sender anchored is a mismatch where the caller names the expected ones.',
  async check(world) {
    const proof = world.target.proofs?.[0];
    if (proof === undefined) throw new Skipped('the target names no proof');
    const anchor = {
      root: proof.merkle_root,
      company_token: proof.company_token,
      period: proof.period,
      sender: proof.sender,
    };
    const changes = [
      {},
      { company_token: `${proof.company_token}x` },
      { period: `${proof.period}x` },
      { sender: `0x${'1'.repeat(64)}` },
    ];
    for (const change of changes) {
      const query = new URLSearchParams({ ...anchor, ...change });
      const answer = (await world.indexer.get(`/api/v1/verify/${proof.tx}?${query}`)).is(200);
      const asOwn = Object.keys(change).length === 0;
      equal(answer.get('verdict'), asOwn ? 'match' : 'mismatch', `verdict for ${query}`);
      equal(answer.get('verified'), asOwn, `verified for ${query}`);
    }
  },
});
