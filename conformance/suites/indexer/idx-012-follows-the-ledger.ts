import { at } from '../../kit/json.js';
import { equal, requirement } from '../../kit/requirement.js';
import { anchor, eventually } from '../support.js';

export default requirement({
  id: 'IDX-012',
  suite: 'indexer',
  level: 'must',
  says: 'A proof that is anchored now is found within the next polls, with the verdict match.',
  covers: ['L1.1', 'L1.4', 'L1.5', 'D8.2'],
  limit: 90,
  async check(world) {
    const proof = await anchor(world);
    const root = String(at(proof, 'merkle_root'));
    await eventually(
      async () => {
        const answer = await world.indexer.get(`/api/v1/verify/${String(at(proof, 'tx'))}?root=${root}`);
        return answer.get('verdict') === 'match' ? true : undefined;
      },
      'the verdict is match',
      70,
    );
    const answer = (await world.indexer.get(`/api/v1/proofs/${String(at(proof, 'tx'))}`)).is(200);
    equal(answer.get('sender'), at(proof, 'sender'), 'sender');
  },
});
