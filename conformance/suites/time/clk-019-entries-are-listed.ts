import { at } from '../../kit/json.js';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock, eventually } from '../support.js';

export default requirement({
  id: 'CLK-019',
  suite: 'time',
  level: 'must',
  says: 'Entries can be read by period and by change with read:time_entries, and not without it.',
  covers: ['/time/entries needs read:time_entries.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const { today } = await world.company();
    const date = today();
    const since = new Date(Date.now() - 60_000).toISOString();
    const entry = (await clock(api, person, 'in')).is(200).get('time_entry.id');
    const period = (await api.get(`/api/v1/time/entries?from=${date}&to=${today()}&user_id=${person.id}`)).is(200);
    ensure(
      period.list('data').some((row) => at(row, 'id') === entry),
      'the period misses the entry',
    );
    const pageWith = (from: string, status: string) =>
      eventually(async () => {
        const page = (await api.get(`/api/v1/time/entries?updated_since=${from}&user_id=${person.id}`)).is(200);
        return page.list('data').some((row) => at(row, 'id') === entry && at(row, 'status') === status)
          ? page
          : undefined;
      }, `updated_since=${from} shows the ${status} entry`);
    const next = (await pageWith(since, 'open')).string('next_updated_since');
    (await clock(api, person, 'out')).is(200);
    await pageWith(next, 'recorded');
    const userReader = await world.newExtension({ scopes: ['read:users'] });
    (await userReader.api.get(`/api/v1/time/entries?from=${today()}&to=${today()}`)).is(403, 'insufficient_scope');
  },
});
