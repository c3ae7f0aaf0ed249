import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import { readAccessChange, readPeopleAccess } from '../../extensions/rows.js';
import type { components } from '../../generated/app-types.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { requireFreshFactor } from '../../people/caller.js';
import { findPersonAnywhere } from '../../people/rows.js';
import { Refusal } from '../../store/refusal.js';
import { endExpiredLinks } from '../oauth/links.js';
import { switchPeopleAccess } from './people-access.js';

export const showAccess: AppHandler<'showAccess'> = async ({ db, dataKey }) => ({
  status: 200,
  body: await presentAccess(db, dataKey !== undefined),
});

async function presentAccess(reader: Reader, hasDataKey: boolean): Promise<components['schemas']['Access']> {
  const [access, change] = [await readPeopleAccess(reader), await readAccessChange(reader)];
  const by = change.changed_by === null ? undefined : await findPersonAnywhere(reader, change.changed_by);
  return {
    extensions_write: access.people_writes === 1,
    personal_links: access.personal_links === 1,
    terminals: access.terminals === 1,
    data_key: hasDataKey,
    changed_at: formatInstant(change.changed_at),
    changed_by: by === undefined ? undefined : { id: by.id, name: nameOf(by) },
  };
}

export const updateAccess: AppHandler<'updateAccess'> = async ({
  db,
  dataKey,
  extensionsEnabled,
  caller,
  body,
  at,
}) => {
  requireFreshFactor(caller, at);
  if (!extensionsEnabled && (body.extensions_write === true || body.personal_links === true))
    throw new Refusal('feature_disabled');
  const change = {
    writes: body.extensions_write,
    links: body.personal_links,
    terminals: body.terminals,
  };
  const result = await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const { endedLinks, strippedKeys } = await switchPeopleAccess(write, change);
    return {
      access: await presentAccess(write, dataKey !== undefined),
      ended_links: endedLinks,
      stripped_keys: strippedKeys,
    };
  });
  // More links than one write ends.
  if (body.personal_links === false) await endExpiredLinks(db, at);
  return { status: 200, body: result };
};
