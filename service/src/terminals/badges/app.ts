import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/app-types.js';
import type { AppNeeds } from '../../http/needs.js';
import { type Page, pageOf } from '../../http/page.js';
import { actorOf } from '../../people/actor.js';
import { administeredScope, companyFor, personFor } from '../../people/administered.js';
import { ownScope, type PersonCaller, requireFreshFactor } from '../../people/caller.js';
import type { PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { TenantScope } from '../../store/scope.js';
import {
  badgeFor,
  blockBadge as blockAsAdmin,
  resetPin as reset,
  returnBadge as takeBack,
  unblockBadge as unblock,
} from '../administer.js';
import { blockBadge as block } from './badges.js';
import { hashPin, setPin } from './pin.js';
import { presentBadge } from './present.js';
import { type BadgeFilter, findPinChange, findShownBadge, listBadgeRows } from './rows.js';

type Db = Pick<AppNeeds, 'db'>;
type Lists = Pick<AppNeeds, 'db' | 'cursors'>;
type Badge = ReturnType<typeof presentBadge>;

export function listBadges({ db, cursors }: Lists): Handler<operations['listBadges'], PersonCaller> {
  return async ({ caller, query: { company_id: asked, user_id: personId, state, search, cursor, limit } }) => {
    const companies =
      asked === undefined ? administeredScope(caller) : { company: (await companyFor(db, caller, asked)).id };
    if (personId !== undefined) await personFor(db, caller, personId);
    const scope = personId === undefined ? companies : { ...companies, person: personId };
    const states = state === undefined ? (['active', 'blocked', 'returned'] as const) : [state];
    const binding = ['listBadges', caller.person.id, scope, state, search];
    return {
      status: 200,
      body: await page(
        { db, cursors },
        scope,
        { states, search },
        { viewerId: caller.person.id, binding, cursor, limit },
      ),
    };
  };
}

export function listMyBadges({ db, cursors }: Lists): Handler<operations['listMyBadges'], PersonCaller> {
  return async ({ caller, query: { cursor, limit } }) => {
    const filter = { states: ['active', 'blocked'], search: undefined } as const;
    const binding = ['listMyBadges', caller.person.id];
    return {
      status: 200,
      body: await page({ db, cursors }, ownScope(caller), filter, {
        viewerId: caller.person.id,
        binding,
        cursor,
        limit,
      }),
    };
  };
}

async function page(
  { db, cursors }: Lists,
  scope: TenantScope,
  filter: Pick<BadgeFilter, 'states' | 'search'>,
  {
    viewerId,
    binding,
    cursor,
    limit = 100,
  }: {
    readonly viewerId: PersonId;
    readonly binding: readonly unknown[];
    readonly cursor: string | undefined;
    readonly limit: number | undefined;
  },
): Promise<Page<Badge>> {
  const before = cursor === undefined ? undefined : cursors.read<{ issued: Instant; id: string }>(binding, cursor);
  return pageOf(
    await listBadgeRows(db, scope, { ...filter, before, limit: limit + 1 }),
    limit,
    (row) => presentBadge(row, viewerId),
    (last) => cursors.write(binding, { issued: last.issued_at, id: last.id }),
  );
}

export function blockMyBadge({ db }: Db): Handler<operations['blockMyBadge'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => ({
    status: 200,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const own = await findShownBadge(write, ownScope(caller), id);
      if (own === undefined) throw new Refusal('not_found');
      await block(write, id, own.company_id, body ?? {});
      return presentBadge((await findShownBadge(write, ownScope(caller), id))!, caller.person.id);
    }),
  });
}

export function blockBadge({ db }: Db): Handler<operations['blockBadge'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => ({
    status: 200,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      await blockAsAdmin(write, caller, id, body ?? {});
      return presentBadge(await badgeFor(write, caller, id), caller.person.id);
    }),
  });
}

export function unblockBadge({ db }: Db): Handler<operations['unblockBadge'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => ({
    status: 200,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      await unblock(write, caller, id);
      return presentBadge(await badgeFor(write, caller, id), caller.person.id);
    }),
  });
}

export function returnBadge({ db }: Db): Handler<operations['returnBadge'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => ({
    status: 200,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      await takeBack(write, caller, id);
      return presentBadge(await badgeFor(write, caller, id), caller.person.id);
    }),
  });
}

export function showPin({ db }: Db): Handler<operations['showPin'], PersonCaller> {
  return async ({ caller: { person } }) => {
    const changed = await findPinChange(db, person.id);
    return {
      status: 200,
      body: { set: changed !== undefined, ...(changed === undefined ? {} : { changed_at: formatInstant(changed) }) },
    };
  };
}

export function changePin({
  db,
  dataKey,
}: Pick<AppNeeds, 'db' | 'dataKey'>): Handler<operations['changePin'], PersonCaller> {
  return async ({ caller, body: { pin }, at }) => {
    requireFreshFactor(caller, at);
    if (dataKey === undefined) throw new Refusal('data_key_missing');
    const { person } = caller;
    const hashed = await hashPin(dataKey, person.id, pin);
    await db.write({ actor: actorOf(person), at }, (write) => setPin(write, person.id, person.company_id, hashed));
    return { status: 204 };
  };
}

export function resetPin({ db }: Db): Handler<operations['resetPin'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, (write) => reset(write, caller, id));
    return { status: 204 };
  };
}
