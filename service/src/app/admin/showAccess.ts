import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { readAccessChange, readPeopleAccess } from '../../extensions/rows.js';
import type { components, operations } from '../../generated/app-types.js';
import { findPerson } from '../../people/rows.js';
import { nameOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function showAccess({
  db,
  dataKey,
}: Pick<AppNeeds, 'db' | 'dataKey'>): Handler<operations['showAccess'], PersonCaller> {
  return async () => ({ status: 200, body: await presentAccess(db, dataKey !== undefined) });
}

export async function presentAccess(reader: Reader, hasDataKey: boolean): Promise<components['schemas']['Access']> {
  const [access, change] = [await readPeopleAccess(reader), await readAccessChange(reader)];
  const by = change.changed_by === null ? undefined : await findPerson(reader, change.changed_by, null);
  return {
    extensions_write: access.people_writes === 1,
    personal_links: access.personal_links === 1,
    terminals: access.terminals === 1,
    data_key: hasDataKey,
    ...(change.changed_at === null ? {} : { changed_at: formatInstant(change.changed_at) }),
    ...(by === undefined ? {} : { changed_by: { id: by.id, name: nameOf(by) } }),
  };
}
