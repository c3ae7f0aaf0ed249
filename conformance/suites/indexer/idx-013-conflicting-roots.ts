import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { anchor, waitForIndexed } from '../support.js';

export default requirement({
  id: 'IDX-013',
  suite: 'indexer',
  level: 'must',
  says: 'Two roots for one company token and period are both kept and both shown.',
  covers: ['Conflicting roots are all kept and shown.'],
  limit: 90,
  async check(world) {
    const firstProof = await anchor(world);
    const secondProof = await anchor(world, {
      company_token: String(at(firstProof, 'company_token')),
      period: String(at(firstProof, 'period')),
    });
    const token = encodeURIComponent(String(at(firstProof, 'company_token')));
    const proofs = await waitForIndexed(
      world,
      async () => {
        const page = await world.indexer.get(
          `/api/v1/companies/${token}/proofs?period=${String(at(firstProof, 'period'))}`,
        );
        const list = page.get('data');
        return Array.isArray(list) && list.length === 2 ? list : undefined;
      },
      'both proofs are listed',
    );
    equal(new Set(proofs.map((row) => at(row, 'merkle_root'))).size, 2, 'different roots');
    for (const proof of [firstProof, secondProof])
      equal(
        (
          await world.indexer.get(`/api/v1/verify/${String(at(proof, 'tx'))}?root=${String(at(proof, 'merkle_root'))}`)
        ).get('verdict'),
        'match',
        'verdict',
      );
  },
});
