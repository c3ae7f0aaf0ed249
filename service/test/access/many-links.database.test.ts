import { dialects } from '@clockproof/platform/testing/databases';
import { day } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { removeExtension } from '../../src/access/integrations/extensions.js';
import { switchPeopleAccess } from '../../src/access/integrations/people-access.js';
import { endExpiredLinks } from '../../src/access/oauth/links.js';
import { insert } from '../../src/store/tables.js';
import type { Write } from '../../src/store/write.js';
import { addApp } from '../linking.js';
import { createWorld, type World } from '../world.js';

const count = 1_100;

describe.each(dialects)('the end of many links on %s', (dialect) => {
  let world: World;
  let extensionId: string;
  beforeEach(async () => {
    world = await createWorld(dialect);
    extensionId = (await addApp(world, 'App')).id;
    await write(async (tx) => {
      tx.unaudited('credential');
      for (let index = 0; index < count; index++)
        await insert(tx, 'links', {
          id: `lnk_${String(index).padStart(16, '0')}`,
          extension_id: extensionId,
          person_id: index % 2 === 0 ? world.people.ada : world.people.zoe,
          company_id: world.nord,
          scopes: '[]',
          refresh_hash: `hash ${index}`,
          created_at: world.now(),
          expires_at: world.now() + day,
        });
    });
  });
  afterEach(() => world.close());

  const write = <Result>(effect: (write: Write) => Promise<Result>) => world.write(effect);
  const tally = async () =>
    (await world.db.get<{ links: number; events: number; entries: number }>(
      `SELECT (SELECT count(*) FROM links WHERE ended_why = 'switched_off' OR ended_why = 'extension_deleted') AS links,
        (SELECT count(*) FROM events WHERE type = 'link.ended') AS events,
        (SELECT count(*) FROM audit_entries WHERE action = 'link.ended') AS entries`,
    ))!;

  it('the end of many links continues in further writes', async () => {
    await write((tx) => removeExtension(tx, extensionId));
    expect(await tally()).toEqual({ links: 500, events: 500, entries: 500 });
    expect(await endExpiredLinks(world.service.store, world.now())).toBe(600);
    expect(await tally()).toEqual({ links: count, events: count, entries: count });
    expect(await endExpiredLinks(world.service.store, world.now())).toBe(0);
  });

  it('the end of many links counts all of them', async () => {
    expect(await write((tx) => switchPeopleAccess(tx, { links: false }))).toMatchObject({ endedLinks: count });
    expect(await endExpiredLinks(world.service.store, world.now())).toBe(600);
  });
});
