import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { envelope, eventually, pull } from '../support.js';

export default requirement({
  id: 'EVT-008',
  suite: 'events',
  level: 'must',
  says: 'People who are added and changed, and entries recorded afterwards, are events with the record.',
  async check(world) {
    const { api } = await world.extension();
    const position = await envelope(api);
    const company = await world.company();
    const person = await world.newPerson();
    await world.fixtures.changePerson(person.id, { last_name: 'Changed' });
    const day = new Date(Date.parse(company.today()) - 7 * 86_400_000).toISOString().slice(0, 10);
    const entry = { start: `${day}T08:00:00.000Z`, end: `${day}T12:00:00.000Z`, reason: 'forgotten' };
    await world.fixtures.addEntry(person.id, entry);
    const findChange = (type: string, member: string) =>
      eventually(
        async () =>
          (await pull(api, position)).find(
            (event) => at(event, 'type') === type && at(event, `data.${member}`) === person.id,
          ),
        `${type} is listed`,
      );
    equal(
      at(await findChange('user.created', 'id'), 'data.first_name'),
      person.firstName,
      'first name in user.created',
    );
    equal(at(await findChange('user.changed', 'id'), 'data.last_name'), 'Changed', 'last name in user.changed');
    const entryChange = await findChange('time_entry.changed', 'user_id');
    equal(Date.parse(String(at(entryChange, 'data.end'))), Date.parse(entry.end), 'end in time_entry.changed');
    const record = (await api.get(`/api/v1/time/entries/${String(at(entryChange, 'data.id'))}`)).is(200);
    ensure(JSON.stringify(at(entryChange, 'data')) === JSON.stringify(record.json), 'the event shows another record');
  },
});
