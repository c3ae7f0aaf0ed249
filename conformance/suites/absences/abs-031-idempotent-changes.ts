import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-031',
  suite: 'absences',
  level: 'must',
  says: 'A change and a withdrawal of an absence with the same Idempotency-Key return the first answer again.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.newPerson();
    const path = `/api/v1/absences/${(await absence(world, api, person)).is(201).number('id')}`;
    const headers = (name: string) => ({ headers: { 'idempotency-key': `kit-${person.id}-${name}` } });
    const change = () => api.patch(path, { comment: 'once' }, headers('change'));
    const firstAnswer = (await change()).is(200);
    equal(
      (await change()).is(200).get('updated_at'),
      firstAnswer.get('updated_at'),
      'updated_at of the repeated change',
    );
    (await api.patch(path, { comment: 'other' }, headers('change'))).is(409, 'idempotency_conflict');
    (await api.delete(path, headers('withdrawal'))).is(200);
    (await api.delete(path, headers('withdrawal'))).is(200);
  },
});
