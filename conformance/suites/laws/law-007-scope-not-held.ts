import { sightingsIn } from '../../kit/laws.js';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { fill, queryOf, security } from '../../kit/statuses.js';
import { absence, clock, eventually } from '../support.js';

export default requirement({
  id: 'LAW-007',
  suite: 'laws',
  level: 'must',
  says: 'A key with one scope is shown records of that scope and of its company only, by every operation that reads.',
  last: true,
  limit: 120,
  async check(world) {
    const readings = world.contract.operations.filter(
      (operation) =>
        operation.method === 'GET' &&
        security(operation).includes('apiKey') &&
        String(operation.definition['x-scope']).startsWith('read:'),
    );
    const scopeOf = (id: string) => world.contract.operation(id).definition['x-scope'];
    const scopes = [...new Set(readings.map(({ definition }) => String(definition['x-scope'])))];
    const company = await world.newCompany('Scopes');
    const fullExtension = await world.newExtension({ company_id: company.id });
    const person = await world.newPerson({ company_id: company.id, department_id: undefined });
    const entry = (await clock(fullExtension.api, person, 'in')).is(200).number('time_entry.id');
    const leave = (await absence(world, fullExtension.api, person)).is(201).number('id');
    await eventually(async () => {
      const { length } = (await fullExtension.api.get('/api/v1/events')).is(200).list('data');
      return length >= 2 ? true : undefined;
    }, 'both events are listed');
    const ids: Readonly<Record<string, number>> = { getUser: person.id, getTimeEntry: entry, getAbsence: leave };
    const firstCompany = await world.company();
    const kinds = {
      person: scopeOf('listUsers'),
      'clock state': scopeOf('listClockStates'),
      'time entry': scopeOf('listTimeEntries'),
      absence: scopeOf('listLeaves'),
    };
    for (const [companyId, keyScopes] of [
      ...scopes.map((scope) => [company.id, [scope]] as const),
      [firstCompany.id, scopes] as const,
    ]) {
      const { key, api } = await world.newExtension({ scopes: keyScopes, company_id: companyId });
      for (const operation of readings) {
        const path = fill(operation.path, { id: String(ids[operation.id] ?? 1) }) + queryOf(operation);
        const answer = await api.get(path);
        const scope = String(operation.definition['x-scope']);
        if (!keyScopes.includes(scope)) answer.is(403, 'insufficient_scope');
      }
      await api.get('/api/v1/events?limit=500');
      const exchanges = world.exchanges.filter(({ headers }) => headers['authorization'] === `Bearer ${key}`);
      for (const { kind, id, record, exchange } of sightingsIn(exchanges)) {
        const operation = `${exchange.method} ${exchange.path}`;
        ensure(
          keyScopes.includes(String(kinds[kind])),
          `${operation} shows ${kind} ${id} to a key with ${keyScopes.join(', ')}`,
        );
        ensure(record['company_id'] === companyId, `${operation} shows ${kind} ${id} of another company`);
      }
    }
  },
});
