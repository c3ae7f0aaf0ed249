import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { closedMonth } from './support.js';

export default requirement({
  id: 'PRF-001',
  suite: 'proofs',
  level: 'must',
  says: 'A closed month has a commitment in the state made, which keys of its company alone read.',
  async check(world) {
    const { month, commitment } = await closedMonth(world);
    for (const [name, value] of Object.entries({ kind: 'month', period: month, revision: 1, state: 'made' }))
      equal(at(commitment, name), value, name);
    const otherCompany = await world.newCompany('Elsewhere');
    const { api } = await world.newExtension({ company_id: otherCompany.id, scopes: ['read:commitments'] });
    equal((await api.get('/api/v1/commitments')).is(200).list('data').length, 0, 'commitments of another company');
  },
});
