import { ensure, equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-008',
  suite: 'indexer',
  level: 'must',
  says: 'Found proofs and verdicts are immutable with a strong ETag, and If-None-Match answers 304.',
  covers: ['Found proofs and verdicts are cacheable for ever with a strong ETag; what can change is no-store.'],
  async check(world) {
    const proof = world.target.proofs?.[0];
    if (proof === undefined) throw new Skipped('the target names no proof');
    for (const path of [`/api/v1/proofs/${proof.tx}`, `/api/v1/verify/${proof.tx}?root=${proof.merkle_root}`]) {
      const answer = (await world.indexer.get(path)).is(200);
      equal(answer.header('cache-control'), 'public, max-age=31536000, immutable', `Cache-Control of ${path}`);
      const etag = answer.header('etag') ?? '';
      ensure(/^"[^"]+"$/.test(etag), `the ETag is ${etag}`);
      const repetition = (await world.indexer.get(path, { headers: { 'if-none-match': etag } })).is(304);
      equal(repetition.text, '', 'the body of 304');
    }
  },
});
