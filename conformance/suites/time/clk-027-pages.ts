import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-027',
  suite: 'time',
  level: 'must',
  says: 'Lists come in pages: limit is 1 to 500, cursors lead through all rows once and belong to their filters and caller.',
  covers: [
    'Lists are data, next_cursor and has_more; limit is 1 to 500, 100 unless given; cursors belong to filters and caller.',
  ],
  async check(world) {
    const { api } = await world.extension();
    await world.newPerson();
    await world.newPerson();
    for (const wrong of ['0', '501', '-1', '1.5', 'many', ''])
      (await api.get(`/api/v1/users?limit=${wrong}`)).is(400, 'invalid_request');
    const first = (await api.get('/api/v1/users?limit=1')).is(200);
    equal(first.list('data').length, 1, 'rows of a page of one');
    equal(first.get('has_more'), true, 'has_more');
    const cursor = first.string('next_cursor');
    const second = (await api.get(`/api/v1/users?limit=1&cursor=${cursor}`)).is(200);
    ensure(second.get('data.0.id') !== first.get('data.0.id'), 'the second page repeats the first');
    (await api.get(`/api/v1/users?limit=1&active=true&cursor=${cursor}`)).is(400, 'invalid_cursor');
    (await api.get(`/api/v1/clock/states?limit=1&cursor=${cursor}`)).is(400, 'invalid_cursor');
    const other = await world.newExtension();
    (await other.api.get(`/api/v1/users?limit=1&cursor=${cursor}`)).is(400, 'invalid_cursor');
    (await api.get(`/api/v1/users?limit=1&cursor=${cursor.slice(0, -2)}AA`)).is(400, 'invalid_cursor');
    const all = new Set<unknown>();
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page = (await api.get(`/api/v1/users?limit=3${next === '' ? '' : `&cursor=${next}`}`)).is(200);
      for (const user of page.list('data')) {
        ensure(!all.has(at(user, 'id')), 'a row comes twice');
        all.add(at(user, 'id'));
      }
      next = page.get('has_more') === true ? page.string('next_cursor') : undefined;
    }
    equal((await api.get('/api/v1/users?limit=500')).is(200).list('data').length, all.size, 'rows of all pages');
  },
});
