import { requirement } from '../../kit/requirement.js';
import { closedMonth, newTransaction } from './support.js';

export default requirement({
  id: 'PRF-004',
  suite: 'proofs',
  level: 'must',
  says: 'A commitment is claimed by one at a time, with no ledger that was read before the claim ends, and not once a transaction was reported.',
  async check(world) {
    const { api, anchors, claims } = await closedMonth(world);
    const claim = { seconds: 3_600 };
    const firstClaim = (await api.post(claims, claim)).is(201);
    (await api.post(claims, claim)).is(409, 'commitment_claimed');
    const beforeItsEnd = { ...claim, ledger_read_until: new Date().toISOString() };
    (await api.post(claims, beforeItsEnd)).is(409, 'commitment_claimed');
    (await api.post(anchors, newTransaction())).is(201);
    const afterItsEnd = { ...claim, ledger_read_until: firstClaim.get('claimed_until') };
    (await api.post(claims, afterItsEnd)).is(409, 'commitment_claimed');
  },
});
