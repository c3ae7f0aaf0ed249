/** A company whose people an extension clocks in and out. */
import { randomBytes } from 'node:crypto';
import type { Database } from '@clockproof/platform/database/database';
import { addExtension } from '../src/access/integrations/extensions.js';
import { switchPeopleAccess } from '../src/access/integrations/people-access.js';
import { recordExtension } from '../src/extensions/extensions.js';
import { recordCompany, recordPerson } from '../src/people/people.js';
import type { CompanyId } from '../src/store/ids.js';
import { installationSecret } from '../src/store/installation.js';
import { migrations } from '../src/store/migrations/migrations.js';
import { createSealingKeys } from '../src/store/sealing/sealing-keys.js';
import { createStore } from '../src/store/write.js';
import { berlin } from '../test/zones.js';

/** @param at the instant at which they are added: their working time is tracked from then on */
export async function addWorkers(
  db: Database,
  count: number,
  at = Date.now(),
): Promise<{ readonly companyId: CompanyId; readonly key: string; readonly people: readonly number[] }> {
  await db.migrate(migrations);
  return createStore(db).write({ actor: { kind: 'system' }, at }, async (write) => {
    const companyId = await recordCompany(write, { name: 'Nord', timeZone: berlin, country: 'DE' });
    const people: number[] = [];
    for (let index = 0; index < count; index++)
      people.push(
        await recordPerson(write, {
          companyId,
          firstName: 'P',
          lastName: String(index),
          role: 'employee',
          language: 'en',
        }),
      );
    await switchPeopleAccess(write, { writes: true, links: false, terminals: false });
    const { key } = await recordExtension(
      write,
      { name: 'Clock', mode: 'api', acting: 'everyone', companyId, scopes: ['read:clock_states', 'write:clock'] },
      randomBytes,
    );
    return { companyId, key, people };
  });
}

/** Extensions whose webhooks go to ports of this machine, for the company of the people; they get every stamp. */
export async function addHooks(db: Database, person: number, ports: readonly number[]): Promise<void> {
  const store = createStore(db);
  const sealingKeys = createSealingKeys(undefined, await installationSecret(store, randomBytes), randomBytes);
  const { company_id: companyId } = (await db.get<{ company_id: CompanyId }>(
    'SELECT company_id FROM people WHERE id = :person',
    { person },
  ))!;
  await store.write({ actor: { kind: 'system' }, at: Date.now() }, async (write) => {
    for (const port of ports)
      await addExtension(
        write,
        { sealingKeys, randomBytes, allowPrivateTargets: true },
        {
          name: `Hook ${port}`,
          mode: 'webhooks',
          acting: 'everyone',
          companyId,
          scopes: ['read:clock_states', 'read:time_entries'],
          webhookUrl: `http://127.0.0.1:${port}/`,
        },
      );
  });
}
