import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { eventually } from '../support.js';
import { closedMonth, newTransaction } from './support.js';

export default requirement({
  id: 'PRF-006',
  suite: 'proofs',
  level: 'must',
  says: 'Events tell that a commitment was made, anchored and contradicted, each with the commitment as it was then.',
  async check(world) {
    const { api, anchors, commitment } = await closedMonth(world);
    const anchor = newTransaction();
    const report = (verdict: string) =>
      api.post(anchors, { ...anchor, checks: [{ index: 'https://one.example', verdict }] });
    (await report('match')).is(201);
    (await report('mismatch')).is(200);
    const events = await eventually(async () => {
      const all = (await api.get('/api/v1/events?limit=500')).is(200).list('data');
      const matches = all.filter((event) => String(at(event, 'type')).startsWith('commitment.'));
      return matches.length >= 3 ? matches : undefined;
    }, 'three events are listed');
    equal(
      events.map((event) => [at(event, 'type'), at(event, 'data.state'), at(event, 'data.merkle_root')]),
      ['made', 'anchored', 'contradicted'].map((state) => [
        `commitment.${state}`,
        state,
        at(commitment, 'merkle_root'),
      ]),
      'types, states and roots',
    );
  },
});
