import { at } from '../../kit/json.js';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { pause } from '../../kit/world.js';
import { anchor } from '../support.js';

export default requirement({
  id: 'IDX-021',
  suite: 'indexer',
  level: 'must',
  says: 'A proof that was anchored a moment ago is never called not_found or mismatch: the ledger is asked first.',
  covers: ['Before the first mismatch or not_found for a transaction the node is asked for it.'],
  async check(world) {
    for (let times = 0; times < 3; times++) {
      const proof = await anchor(world);
      const path = `/api/v1/verify/${String(at(proof, 'tx'))}?root=${String(at(proof, 'merkle_root'))}`;
      for (let requestCount = 0; requestCount < 3; requestCount++) {
        const answer = (await world.indexer.get(path)).is(200);
        const verdictText = `${String(answer.get('verdict'))} ${String(answer.get('reason') ?? '')}`;
        ensure(!/mismatch|not_found/.test(verdictText), `the verdict is ${verdictText}`);
        await pause(100);
      }
    }
  },
});
