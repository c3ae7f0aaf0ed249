import { randomBytes } from 'node:crypto';
import type { Client } from '../../kit/client.js';
import { isRecord } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, allRows, clock, eventually } from '../support.js';

export default requirement({
  id: 'CON-024',
  suite: 'contract',
  level: 'must',
  says: 'A person, a time entry and an absence by id are the records of their lists, for the same callers; If-None-Match answers 304.',
  limit: 60,
  async check(world) {
    const { api } = await world.extension();
    const person = await world.newPerson();
    (await clock(api, person, 'in')).is(200);
    (await clock(api, person, 'out')).is(200);
    const leave = (await absence(world, api, person)).is(201).number('id');
    const since = 'updated_since=1970-01-01T00:00:00Z';
    const otherCompany = await world.newCompany('Records of others');
    const foreignExtension = await world.newExtension({ company_id: otherCompany.id });
    const clockReader = await world.newExtension({ scopes: ['read:clock_states'] });
    for (const [list, path, of] of [
      ['users', 'users', (row: Record<string, unknown>) => row['id'] === person.id],
      [`time/entries?user_id=${person.id}`, 'time/entries', () => true],
      [`time/leaves?user_id=${person.id}`, 'absences', (row: Record<string, unknown>) => row['id'] === leave],
    ] as const) {
      const rows = await eventually(
        async () =>
          (await allRows(api, `/api/v1/${list}${list.includes('?') ? '&' : '?'}${since}`)).filter(isRecord).find(of),
        `${list} shows the record`,
      );
      const record = `/api/v1/${path}/${String(rows['id'])}`;
      const answer = (await api.get(record)).is(200);
      equal(answer.json, rows, record);
      await keepsCopies(api, record, answer.header('etag') ?? '');
      (await foreignExtension.api.get(record)).is(404, 'not_found');
      (await clockReader.api.get(record)).is(403, 'insufficient_scope');
    }
  },
});

/** RFC 9110 §13.1.2: a list of tags, compared weakly, or `*`. */
async function keepsCopies(api: Client, record: string, etag: string) {
  ensure(/^"[^"]+"$/.test(etag), `the ETag of ${record} is ${etag || 'missing'}`);
  const otherTag = `"${randomBytes(9).toString('hex')}"`;
  for (const tags of [etag, `W/${etag}`, `${otherTag}, ${etag}`, '*']) {
    const repetition = (await api.get(record, { headers: { 'if-none-match': tags } })).is(304);
    equal([repetition.text, repetition.header('etag')], ['', etag], `the answer to If-None-Match: ${tags}`);
  }
  (await api.get(record, { headers: { 'if-none-match': otherTag } })).is(200);
}
