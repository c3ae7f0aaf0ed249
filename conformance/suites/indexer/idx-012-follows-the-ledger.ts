import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { anchor, waitForIndexed } from '../support.js';

export default requirement({
  id: 'IDX-012',
  suite: 'indexer',
  level: 'must',
  says: 'A proof that is anchored now is found within the next polls, with the verdict match.',
  covers: ['The first run reads the whole history of the package.', 'New proofs are polled every POLL_INTERVAL.'],
  limit: 90,
  async check(world) {
    const proof = await anchor(world);
    const root = String(at(proof, 'merkle_root'));
    await waitForIndexed(
      world,
      async () => {
        const answer = await world.indexer.get(`/api/v1/verify/${String(at(proof, 'tx'))}?root=${root}`);
        return answer.get('verdict') === 'match' ? true : undefined;
      },
      'the verdict is match',
    );
    const answer = (await world.indexer.get(`/api/v1/proofs/${String(at(proof, 'tx'))}`)).is(200);
    equal(answer.get('sender'), at(proof, 'sender'), 'sender');
  },
});
