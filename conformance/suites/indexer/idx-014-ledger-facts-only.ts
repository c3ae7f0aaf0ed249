import { equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { readLedger } from '../../peers/ledger.js';

export default requirement({
  id: 'IDX-014',
  suite: 'indexer',
  level: 'must',
  says: "A proof equals what the ledger's own GraphQL says about the event.",
  covers: [
    'The indexer reads proofs from an anchor package on a public ledger and keeps them.',
    'A proof holds facts of the ledger only, equal for two operators.',
    "All dialects of the ledger's GraphQL are understood.",
  ],
  async check(world) {
    const proof = world.target.proofs?.[0];
    if (proof === undefined) throw new Skipped('the target names no proof');
    if (world.target.ledger === undefined) throw new Skipped('the target names no ledger');
    const fact = await readLedger(
      world.target.ledger.url,
      proof.tx,
      (await world.indexer.get('/api/v1/status')).string('package'),
    );
    if (fact === undefined) throw new Skipped('the ledger does not answer, or has pruned the transaction');
    const answer = (await world.indexer.get(`/api/v1/proofs/${proof.tx}`)).is(200);
    for (const name of ['sender', 'company_token', 'period', 'merkle_root', 'checkpoint'] as const)
      equal(answer.get(name), fact[name], name);
  },
});
