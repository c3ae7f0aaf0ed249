import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { rootOfProofFile } from '../../peers/proof-file.js';
import { closedMonth } from './support.js';

export default requirement({
  id: 'PRF-005',
  suite: 'proofs',
  level: 'must',
  says: 'A personal link lists the closed months of its person and downloads a file that leads to the root, whatever it hides.',
  async check(world) {
    const { company, person, month, commitment } = await closedMonth(world);
    const root = at(commitment, 'merkle_root');
    const app = await world.app({ company_id: company });
    const session = await world.fixtures.signIn(person.id);
    const { access } = await app.link(session, ['read:time_entries', 'read:leave_entries']);
    const me = world.bearer(access);
    const list = (await me.get('/api/v1/me/proofs')).is(200);
    equal(list.get('company_token'), at(commitment, 'company_token'), 'company_token');
    equal(
      list.list('data').map((proof) => [at(proof, 'period'), at(proof, 'revision'), at(proof, 'root')]),
      [[month, 1, root]],
      'the proofs of somebody with one closed month',
    );
    for (const query of ['', '?hide=figures,person']) {
      const file = (await me.get(`/api/v1/me/proofs/${month}${query}`)).is(200).json;
      equal(at(file, 'root'), root, 'the root that the file names');
      equal(rootOfProofFile(file), root, 'the root to which the file leads');
      const visibleParts = (at(file, 'parts') as readonly unknown[]).filter((part) => at(part, 'text') !== undefined);
      const names = visibleParts.map((part) => at(part, 'name'));
      ensure(names.includes('head'), 'the head is hidden');
      equal(names.includes('figures'), query === '', 'whether the sums are shown');
    }
    (await me.get(`/api/v1/me/proofs/${month}?hide=nothing`)).is(400);
    (await me.get('/api/v1/me/proofs/2000-01')).is(404);
  },
});
