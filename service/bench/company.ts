/** A company whose people an extension clocks in and out. */
import { randomBytes } from 'node:crypto';
import type { Database } from '@clockproof/platform/database/database';
import { addExtension } from '../src/extensions/extensions.js';
import { switchPeopleAccess } from '../src/integrations/people-access.js';
import { migrations } from '../src/migrations/migrations.js';
import { addCompany, addPerson } from '../src/people/people.js';
import { createStore } from '../src/write/write.js';

export async function addWorkers(
  db: Database,
  count: number,
): Promise<{ readonly key: string; readonly people: readonly number[] }> {
  await db.migrate(migrations);
  return createStore(db).write({ actor: { kind: 'system' }, at: Date.now() }, async (write) => {
    const companyId = await addCompany(write, { name: 'Nord', timeZone: 'Europe/Berlin', country: 'DE' });
    const people: number[] = [];
    for (let index = 0; index < count; index++)
      people.push(
        await addPerson(write, {
          companyId,
          firstName: 'P',
          lastName: String(index),
          role: 'employee',
          language: 'en',
        }),
      );
    await switchPeopleAccess(write, { writes: true, links: false, terminals: false });
    const { key } = await addExtension(
      write,
      { name: 'Clock', mode: 'api', acting: 'everyone', companyId, scopes: ['read:clock_states', 'write:clock'] },
      randomBytes,
    );
    return { key, people };
  });
}
