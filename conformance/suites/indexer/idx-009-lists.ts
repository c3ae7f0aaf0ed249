import { at } from '../../kit/json.js';
import { ensure, equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { allRows } from '../support.js';

export default requirement({
  id: 'IDX-009',
  suite: 'indexer',
  level: 'must',
  says: 'Proofs are listed by sender, company token and period.',
  covers: [
    '/proofs lists the proofs of a sender, filtered by company_token and period.',
    '/companies/{token}/proofs lists the proofs of a company token, optionally of a period.',
    'The parameter sender has the alias address.',
    'Lists of proofs are newest first, in pages.',
  ],
  async check(world) {
    const proof = world.target.proofs?.[0];
    if (proof === undefined) throw new Skipped('the target names no proof');
    const token = encodeURIComponent(proof.company_token);
    for (const path of [
      `/api/v1/proofs?sender=${proof.sender}`,
      `/api/v1/proofs?address=${proof.sender}`,
      `/api/v1/proofs?company_token=${token}`,
      `/api/v1/companies/${token}/proofs`,
      `/api/v1/companies/${token}/proofs?period=${proof.period}`,
    ]) {
      const page = (await world.indexer.get(path)).is(200);
      const proofs = await allRows(world.indexer, path);
      ensure(
        proofs.some((row) => at(row, 'tx') === proof.tx),
        `${path} misses the proof`,
      );
      const checkpoints = proofs.map((row) => Number(at(row, 'checkpoint')));
      equal(
        checkpoints,
        [...checkpoints].sort((a, b) => b - a),
        `checkpoints of ${path}, newest first`,
      );
      equal(page.header('cache-control'), 'no-store', `Cache-Control of ${path}`);
    }
    (await world.indexer.get(`/api/v1/proofs?sender=${proof.sender}&limit=0`)).is(400, 'invalid_request');
    (await world.indexer.get(`/api/v1/proofs?sender=${proof.sender}&cursor=AAAA`)).is(400);
    const emptyPage = (await world.indexer.get(`/api/v1/companies/${token}/proofs?period=1999-01`)).is(200);
    equal(emptyPage.list('data').length, 0, 'proofs of a period without any');
  },
});
