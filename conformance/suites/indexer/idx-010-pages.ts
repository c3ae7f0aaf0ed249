import { at } from '../../kit/json.js';
import { ensure, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-010',
  suite: 'indexer',
  level: 'must',
  says: 'Lists come in pages that give every proof once.',
  async check(world) {
    const seen = new Set<string>();
    const sender = world.target.proofs?.[0]?.sender;
    if (sender === undefined) throw new Skipped('the target names no proof');
    for (let cursor = '', pages = 0; pages < 50; pages++) {
      const page = (await world.indexer.get(`/api/v1/proofs?sender=${sender}&limit=7${cursor}`)).is(200);
      for (const one of page.list('data')) {
        const key = `${String(at(one, 'tx'))} ${String(at(one, 'event_sequence'))}`;
        ensure(!seen.has(key), `${key} comes twice`);
        seen.add(key);
      }
      if (page.get('has_more') !== true) break;
      cursor = `&cursor=${page.string('next_cursor')}`;
    }
    ensure(seen.size > 0, 'there is no proof');
    (await world.indexer.get(`/api/v1/proofs?sender=${sender}&limit=0`)).is(400, 'invalid_request');
    (await world.indexer.get(`/api/v1/proofs?sender=${sender}&cursor=AAAA`)).is(400);
  },
});
