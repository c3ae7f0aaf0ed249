import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-027',
  suite: 'time',
  level: 'must',
  says: 'Lists come in pages: limit is 1 to 500, and cursors belong to their filters and caller.',
  covers: [
    'Lists are data, next_cursor and has_more; limit is 1 to 500, 100 unless given; cursors belong to filters and caller.',
  ],
  async check(world) {
    const { api } = await world.extension();
    await world.newPerson();
    await world.newPerson();
    for (const limit of ['0', '501', '-1', '1.5', 'many', ''])
      (await api.get(`/api/v1/users?limit=${limit}`)).is(400, 'invalid_request');
    const firstPage = (await api.get('/api/v1/users?limit=1')).is(200);
    equal(firstPage.list('data').length, 1, 'rows of a page of one');
    equal(firstPage.get('has_more'), true, 'has_more');
    const cursor = firstPage.string('next_cursor');
    const secondPage = (await api.get(`/api/v1/users?limit=1&cursor=${cursor}`)).is(200);
    ensure(secondPage.get('data.0.id') !== firstPage.get('data.0.id'), 'the second page repeats the first');
    (await api.get(`/api/v1/users?limit=1&active=true&cursor=${cursor}`)).is(400, 'invalid_cursor');
    (await api.get(`/api/v1/clock/states?limit=1&cursor=${cursor}`)).is(400, 'invalid_cursor');
    const otherExtension = await world.newExtension();
    (await otherExtension.api.get(`/api/v1/users?limit=1&cursor=${cursor}`)).is(400, 'invalid_cursor');
    // In the middle every bit of a character counts.
    const middle = cursor.length >> 1;
    const changedCursor = `${cursor.slice(0, middle)}${cursor[middle] === 'A' ? 'B' : 'A'}${cursor.slice(middle + 1)}`;
    (await api.get(`/api/v1/users?limit=1&cursor=${changedCursor}`)).is(400, 'invalid_cursor');
  },
});
