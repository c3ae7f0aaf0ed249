/** The three switches of access for people. */

import { noteAccessChange, type PeopleAccess, savePeopleAccess } from '../../extensions/rows.js';
import type { Write } from '../../store/write.js';
import { endLinks } from '../oauth/links.js';
import { lockPeopleAccess, stripWriteScopes, voidConsents } from '../oauth/rows.js';

/** An omitted switch stays unchanged. */
export interface AccessChange {
  /** Extensions may clock and manage absences for people. */
  readonly writes?: boolean | undefined;
  /** People may link apps. */
  readonly links?: boolean | undefined;
  readonly terminals?: boolean | undefined;
}

/**
 * Switching writes off ends every personal link and removes the writing scopes from every extension; switching personal
 * links off ends every link. Both revoke pending consents and consent requests. Switching on again restores nothing. It
 * is one transaction under the lock that opening a link or granting a scope takes: if the process stops before the
 * commit, nothing was switched; after it, no link is active.
 */
export async function switchPeopleAccess(
  write: Write,
  change: AccessChange,
): Promise<{ readonly access: PeopleAccess; readonly endedLinks: number; readonly strippedKeys: number }> {
  const { actor, at } = write;
  const before = await lockPeopleAccess(write);
  const bit = (flag: boolean | undefined, present: 0 | 1) => (flag === undefined ? present : flag ? 1 : 0);
  const writes = bit(change.writes, before.people_writes);
  // Personal links depend on the write feature: they are switched off with it and on again separately.
  const links = change.writes === false ? 0 : bit(change.links, before.personal_links);
  const access: PeopleAccess = {
    people_writes: writes,
    personal_links: links,
    terminals: bit(change.terminals, before.terminals),
  };
  await savePeopleAccess(write, access);
  if (actor.kind === 'person') await noteAccessChange(write, Number(actor.id), at);
  const strippedKeys = writes === 0 ? await stripWriteScopes(write, at) : 0;
  if (links === 0) await voidConsents(write, { all: true }, at);
  const endedLinks = links === 0 ? await endLinks(write, { all: true }, 'switched_off') : 0;
  await write.audit({
    action: 'people_access.switched',
    details: { before: presentFlags(before), after: access, ended_links: endedLinks, stripped_keys: strippedKeys },
  });
  return { access, endedLinks, strippedKeys };
}

function presentFlags({ people_writes, personal_links, terminals }: PeopleAccess): PeopleAccess {
  return { people_writes, personal_links, terminals };
}
