import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { closedMonth, newTransaction } from './support.js';

export default requirement({
  id: 'PRF-002',
  suite: 'proofs',
  level: 'must',
  says: 'An anchor that is reported again stays one; other facts for its transaction are refused with 409 anchor_differs.',
  async check(world) {
    const { api, anchors } = await closedMonth(world);
    const anchor = newTransaction();
    (await api.post(anchors, anchor)).is(201);
    equal((await api.post(anchors, anchor)).is(200).list('anchors').length, 1, 'anchors after two reports of one');
    (await api.post(anchors, { ...anchor, sender: newTransaction().sender })).is(409, 'anchor_differs');
  },
});
