import type { Client } from '../../kit/client.js';
import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, clock, eventually } from '../support.js';

export default requirement({
  id: 'LAW-003',
  suite: 'laws',
  level: 'must',
  says: 'Small pages hold the rows of one large page, each once and in its order; from a position on, each later change comes once.',
  last: true,
  limit: 90,
  async check(world) {
    const company = await world.newCompany('Pages');
    const { api } = await world.newExtension({ company_id: company.id });
    const people: { readonly id: number }[] = [];
    for (let count = 0; count < 4; count++)
      people.push(await world.newPerson({ company_id: company.id, department_id: undefined }));
    for (const person of people) {
      (await clock(api, person, 'in')).is(200);
      (await absence(world, api, person)).is(201);
    }
    const since = 'updated_since=1970-01-01T00:00:00Z';
    const feeds = [`users?${since}`, `time/entries?${since}`, `time/leaves?${since}`];
    const positions = new Map<string, string>();
    for (const list of ['users?', 'clock/states?', 'events?', ...feeds]) {
      const path = `/api/v1/${list}`;
      const allIds = await eventually(async () => {
        const longPages = await walk(api, path, 500);
        return longPages.keys.length >= people.length ? longPages : undefined;
      }, `${path} has the rows of ${people.length} people`);
      const { keys } = await walk(api, path, 2);
      equal(keys, allIds.keys, `the rows of ${path} in pages of two`);
      equal([...new Set(keys)], keys, `the rows of ${path}, each once`);
      positions.set(list, allIds.position);
    }
    for (const person of people) (await clock(api, person, 'out')).is(200);
    const path = `/api/v1/time/entries?updated_since=${positions.get(feeds[1]!)}`;
    const keys = await eventually(async () => {
      const shortPages = await walk(api, path, 1);
      return shortPages.keys.length >= people.length ? shortPages.keys : undefined;
    }, `the changes of ${people.length} entries follow their position`);
    equal(keys.length, people.length, 'changed entries after the position');
    ensure(new Set(keys).size === people.length, `an entry follows its position twice: ${keys.join(', ')}`);
  },
});

/** @returns what tells the rows of all pages apart, and the position after the last page */
async function walk(api: Client, path: string, limit: number) {
  const keys: string[] = [];
  for (let cursor = ''; ; ) {
    const page = (await api.get(`${path}${path.endsWith('?') ? '' : '&'}limit=${limit}${cursor}`)).is(200);
    const rows = page.list('data');
    ensure(rows.length <= limit, `${rows.length} rows in a page of ${limit}`);
    keys.push(...rows.map((row) => String(at(row, 'id') ?? at(row, 'user_id'))));
    ensure(keys.length <= 1_000, `${path} has no end`);
    if (page.get('has_more') !== true) return { keys, position: String(page.get('next_updated_since')) };
    cursor = `&cursor=${page.string('next_cursor')}`;
  }
}
