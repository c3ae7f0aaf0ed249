import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { offline, stampEntry } from '../support.js';

export default requirement({
  id: 'TRM-034',
  suite: 'terminal',
  level: 'must',
  says: 'Offline stamps are accepted, wait for approval with proof none, and count only afterwards.',
  covers: [
    '/terminal/offline takes numbered stamps that were recorded offline.',
    'Offline stamps reach 72 hours back, are taken once and always wait for approval.',
    'Offline results: accepted, duplicate, conflict, too_old, in_future, unknown_card; entries are pending with proof none.',
  ],
  async check(world) {
    const { api } = await world.extension();
    const terminal = await world.newTerminal();
    const person = await world.newPerson();
    const card = await world.issue(terminal, person, 'desfire');
    const from = Date.now();
    const results = (
      await offline(terminal, [
        { number: 1, uid: card.uid, action: 'in', at: `${new Date(from).toISOString().slice(0, 19)}Z` },
        { number: 2, uid: card.uid, action: 'out', at: `${new Date(from + 30_000).toISOString().slice(0, 19)}Z` },
      ])
    ).is(200);
    equal(
      results.list('results').map((result) => at(result, 'result')),
      ['accepted', 'accepted'],
      'results',
    );
    equal(results.get('last_number'), 2, 'last_number');
    const entry = await stampEntry(api, person, 'pending');
    equal(at(entry, 'proof'), 'none', 'proof');
    equal(at(entry, 'source.kind'), 'offline', 'source.kind');
    const states = (await api.get(`/api/v1/clock/states?user_id=${person.id}`)).is(200);
    equal(states.get('data.0.state'), 'out', 'the clock state before the approval');
  },
});
