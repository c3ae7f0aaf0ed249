import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { closedMonth, newTransaction } from './support.js';

export default requirement({
  id: 'PRF-003',
  suite: 'proofs',
  level: 'must',
  says: 'A commitment is anchored once every index that was asked answers match, and contradicted by one mismatch.',
  async check(world) {
    const { api, anchors } = await closedMonth(world);
    const anchor = newTransaction();
    const stateAfter = async (first: string, second: string) => {
      const checks = [
        { index: 'https://one.example', verdict: first },
        { index: 'https://two.example', verdict: second },
      ];
      return (await api.post(anchors, { ...anchor, checks })).get('state');
    };
    equal(await stateAfter('match', 'unknown'), 'reported', 'state with an index that does not know');
    equal(await stateAfter('match', 'match'), 'anchored', 'state with two that confirm');
    equal(await stateAfter('match', 'mismatch'), 'contradicted', 'state with one that contradicts');
  },
});
