import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { actorOf } from '../people/actor.js';
import { administeredScope, companyFor } from '../people/administered.js';
import { type PersonCaller, requireFreshFactor } from '../people/caller.js';
import { defined } from '../store/defined.js';
import { Refusal } from '../store/refusal.js';
import {
  acceptTerminal,
  changeTerminal,
  closeIssuing,
  openIssuing,
  type PairingNeeds,
  registerTerminal,
  releaseTerminal,
  replacePairingCode,
  retireTerminal,
  type TerminalChange,
  terminalFor,
} from './administer.js';
import { presentIssuing, presentTerminal } from './present.js';
import { findIssuing, listTerminalRows } from './rows.js';

export const listTerminals: AppHandler<'listTerminals'> = async ({
  db,
  cursors,
  caller,
  query: { company_id: requestedCompany, cursor, limit = 100 },
  at,
}) => {
  const scope =
    requestedCompany === undefined
      ? administeredScope(caller)
      : { company: (await companyFor(db, caller, requestedCompany)).id };
  const binding = ['listTerminals', caller.person.id, scope];
  const after = cursor === undefined ? undefined : cursors.read<{ name: string; id: string }>(binding, cursor);
  const page = pageOf(
    await listTerminalRows(db, scope, { after, limit: limit + 1 }),
    limit,
    (row) => row,
    (last) => cursors.write(binding, { name: last.name, id: last.id }),
  );
  return {
    status: 200,
    body: { ...page, data: await Promise.all(page.data.map((row) => presentTerminal(db, row, at))) },
  };
};

export const showTerminal: AppHandler<'showTerminal'> = async ({ db, caller, path: { id }, at }) => ({
  status: 200,
  body: await readTerminal(db, caller, id, at),
});

async function readTerminal(
  reader: Reader,
  caller: PersonCaller,
  id: string,
  at: Instant,
): Promise<components['schemas']['Terminal']> {
  return presentTerminal(reader, await terminalFor(reader, caller, id), at);
}

export const addTerminal: AppHandler<'addTerminal'> = async ({
  db,
  randomBytes,
  hashPairingCode: hashCode,
  caller,
  body,
  at,
}) => {
  requireFreshFactor(caller, at);
  const terminal = {
    companyId: body.company_id,
    name: body.name,
    location: body.location,
    departments: body.department_ids ?? [],
    showInfo: body.show_info === true,
    infoWithoutPin: body.info_without_pin === true,
    badgeAndPin: body.badge_and_pin === true,
    repeatLockSeconds: body.repeat_lock_seconds,
    issuingAllowed: body.issuing_allowed === true,
  };
  const needs: PairingNeeds = { randomBytes, hashCode };
  return {
    status: 201,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const { id, code } = await registerTerminal(write, caller, terminal, needs);
      return withCode(write, caller, id, code, at);
    }),
  };
};

export const renewPairingCode: AppHandler<'renewPairingCode'> = async ({
  db,
  randomBytes,
  hashPairingCode: hashCode,
  caller,
  path: { id },
  at,
}) => {
  requireFreshFactor(caller, at);
  return {
    status: 201,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) =>
      withCode(write, caller, id, await replacePairingCode(write, caller, id, { randomBytes, hashCode }), at),
    ),
  };
};

async function withCode(
  reader: Reader,
  caller: PersonCaller,
  id: string,
  code: string,
  at: Instant,
): Promise<components['schemas']['PairingCode']> {
  const row = await terminalFor(reader, caller, id);
  return { code, expires_at: formatInstant(row.code_expires_at!), terminal: await presentTerminal(reader, row, at) };
}

export const confirmTerminal: AppHandler<'confirmTerminal'> = async ({
  db,
  caller,
  path: { id },
  body: { fingerprint },
  at,
}) => {
  requireFreshFactor(caller, at);
  return {
    status: 200,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      await acceptTerminal(write, caller, id, fingerprint);
      return readTerminal(write, caller, id, at);
    }),
  };
};

export const updateTerminal: AppHandler<'updateTerminal'> = async ({ db, caller, path: { id }, body, at }) => ({
  status: 200,
  body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    await changeTerminal(write, caller, id, changeOf(body));
    return readTerminal(write, caller, id, at);
  }),
});

function changeOf(body: components['schemas']['TerminalChange']): TerminalChange {
  const flag = (value: boolean | undefined) => (value === undefined ? undefined : value ? 1 : 0);
  return defined({
    name: body.name,
    location: body.location,
    departments: body.department_ids,
    show_info: flag(body.show_info),
    info_without_pin: flag(body.info_without_pin),
    badge_and_pin: flag(body.badge_and_pin),
    repeat_lock_seconds: body.repeat_lock_seconds,
    issuing_allowed: flag(body.issuing_allowed),
  });
}

export const removeTerminal: AppHandler<'removeTerminal'> = async ({ db, caller, path: { id }, at }) => {
  requireFreshFactor(caller, at);
  await db.write({ actor: actorOf(caller.person), at }, (write) => retireTerminal(write, caller, id));
  return { status: 204 };
};

export const resumeTerminal: AppHandler<'resumeTerminal'> = async ({ db, caller, path: { id }, at }) => {
  requireFreshFactor(caller, at);
  return {
    status: 200,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      await releaseTerminal(write, caller, id);
      return readTerminal(write, caller, id, at);
    }),
  };
};

export const startIssuing: AppHandler<'startIssuing'> = async ({
  db,
  dataKey,
  caller,
  path: { id },
  body: { user_id: personId },
  at,
}) => {
  if (dataKey === undefined) throw new Refusal('data_key_missing');
  return {
    status: 201,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      await openIssuing(write, caller, id, personId);
      return presentIssuing(write, (await findIssuing(write, id))!, { viewerId: caller.person.id, at });
    }),
  };
};

export const showIssuing: AppHandler<'showIssuing'> = async ({ db, caller, path: { id }, at }) => {
  await terminalFor(db, caller, id);
  const issuing = await findIssuing(db, id);
  if (issuing === undefined) throw new Refusal('not_found');
  return { status: 200, body: await presentIssuing(db, issuing, { viewerId: caller.person.id, at }) };
};

export const cancelIssuing: AppHandler<'cancelIssuing'> = async ({ db, caller, path: { id }, at }) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) => closeIssuing(write, caller, id));
  return { status: 204 };
};
