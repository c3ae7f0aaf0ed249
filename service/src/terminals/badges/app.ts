import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { AppHandler, AppRequest } from '../../http/handler.js';
import { type Page, pageOf } from '../../http/page.js';
import { actorOf } from '../../people/actor.js';
import { administeredScope, companyFor, personFor } from '../../people/administered.js';
import { ownScope, requireFreshFactor } from '../../people/caller.js';
import { Refusal } from '../../store/refusal.js';
import type { TenantScope } from '../../store/scope.js';
import {
  badgeFor,
  blockBadgeAsAdmin,
  resetPinAsAdmin,
  returnBadgeAsAdmin,
  unblockBadgeAsAdmin,
} from '../administer.js';
import { markBadgeBlocked } from './badges.js';
import { hashPin, setPin } from './pin.js';
import { presentBadge } from './present.js';
import { type BadgeFilter, findPinChange, findShownBadge, listBadgeRows } from './rows.js';

type Badge = ReturnType<typeof presentBadge>;

export const listBadges: AppHandler<'listBadges'> = async (request) => {
  const {
    db,
    caller,
    query: { company_id: requestedCompany, user_id: personId, state, search },
  } = request;
  const companies =
    requestedCompany === undefined
      ? administeredScope(caller)
      : { company: (await companyFor(db, caller, requestedCompany)).id };
  if (personId !== undefined) await personFor(db, caller, personId);
  const scope = personId === undefined ? companies : { ...companies, person: personId };
  const states = state === undefined ? (['active', 'blocked', 'returned'] as const) : [state];
  const binding = ['listBadges', caller.person.id, scope, state, search];
  return { status: 200, body: await page(request, scope, { states, search }, binding) };
};

export const listMyBadges: AppHandler<'listMyBadges'> = async (request) => {
  const { caller } = request;
  const filter = { states: ['active', 'blocked'], search: undefined } as const;
  const binding = ['listMyBadges', caller.person.id];
  return { status: 200, body: await page(request, ownScope(caller), filter, binding) };
};

async function page(
  { db, cursors, caller, query: { cursor, limit = 100 } }: AppRequest<'listBadges' | 'listMyBadges'>,
  scope: TenantScope,
  filter: Pick<BadgeFilter, 'states' | 'search'>,
  binding: readonly unknown[],
): Promise<Page<Badge>> {
  const before = cursor === undefined ? undefined : cursors.read<{ issued: Instant; id: string }>(binding, cursor);
  return pageOf(
    await listBadgeRows(db, scope, { ...filter, before, limit: limit + 1 }),
    limit,
    (row) => presentBadge(row, caller.person.id),
    (last) => cursors.write(binding, { issued: last.issued_at, id: last.id }),
  );
}

export const blockMyBadge: AppHandler<'blockMyBadge'> = async ({ db, caller, path: { id }, body, at }) => ({
  status: 200,
  body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const ownBadge = await findShownBadge(write, ownScope(caller), id);
    if (ownBadge === undefined) throw new Refusal('not_found');
    await markBadgeBlocked(write, id, ownBadge.company_id, body ?? {});
    return presentBadge((await findShownBadge(write, ownScope(caller), id))!, caller.person.id);
  }),
});

export const blockBadge: AppHandler<'blockBadge'> = async ({ db, caller, path: { id }, body, at }) => ({
  status: 200,
  body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    await blockBadgeAsAdmin(write, caller, id, body ?? {});
    return presentBadge(await badgeFor(write, caller, id), caller.person.id);
  }),
});

export const unblockBadge: AppHandler<'unblockBadge'> = async ({ db, caller, path: { id }, at }) => ({
  status: 200,
  body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    await unblockBadgeAsAdmin(write, caller, id);
    return presentBadge(await badgeFor(write, caller, id), caller.person.id);
  }),
});

export const returnBadge: AppHandler<'returnBadge'> = async ({ db, caller, path: { id }, at }) => ({
  status: 200,
  body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    await returnBadgeAsAdmin(write, caller, id);
    return presentBadge(await badgeFor(write, caller, id), caller.person.id);
  }),
});

export const showPin: AppHandler<'showPin'> = async ({ db, caller: { person } }) => {
  const pinChange = await findPinChange(db, person.id);
  return {
    status: 200,
    body: { set: pinChange !== undefined, changed_at: formatInstant(pinChange) },
  };
};

export const changePin: AppHandler<'changePin'> = async ({ db, dataKey, caller, body: { pin }, at }) => {
  requireFreshFactor(caller, at);
  if (dataKey === undefined) throw new Refusal('data_key_missing');
  const { person } = caller;
  const pinHash = await hashPin(dataKey, person.id, pin);
  await db.write({ actor: actorOf(person), at }, (write) => setPin(write, person.id, person.company_id, pinHash));
  return { status: 204 };
};

export const resetPin: AppHandler<'resetPin'> = async ({ db, caller, path: { id }, at }) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) => resetPinAsAdmin(write, caller, id));
  return { status: 204 };
};
