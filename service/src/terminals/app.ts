import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { components, operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { pageOf } from '../http/page.js';
import { actorOf } from '../people/actor.js';
import { administeredScope, companyFor } from '../people/administered.js';
import { type PersonCaller, requireFreshFactor } from '../people/caller.js';
import { Refusal } from '../store/refusal.js';
import {
  addTerminal as add,
  cancelIssuing as cancel,
  changeTerminal,
  confirmTerminal as confirm,
  type PairingNeeds,
  removeTerminal as remove,
  renewPairingCode as renew,
  resumeTerminal as resume,
  startIssuing as start,
  type TerminalChange,
  terminalFor,
} from './administer.js';
import type { HashCode } from './pairing.js';
import { presentIssuing, presentTerminal } from './present.js';
import { findIssuing, listTerminalRows } from './rows.js';

type Db = Pick<AppNeeds, 'db'>;
type Pairing = Pick<AppNeeds, 'db' | 'randomBytes'> & { readonly hashPairingCode: HashCode };

export function listTerminals({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listTerminals'], PersonCaller> {
  return async ({ caller, query: { company_id: asked, cursor, limit = 100 }, at }) => {
    const scope =
      asked === undefined ? administeredScope(caller) : { company: (await companyFor(db, caller, asked)).id };
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
}

export function showTerminal({ db }: Db): Handler<operations['showTerminal'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => ({ status: 200, body: await shown(db, caller, id, at) });
}

async function shown(
  reader: Reader,
  caller: PersonCaller,
  id: string,
  at: Instant,
): Promise<components['schemas']['Terminal']> {
  return presentTerminal(reader, await terminalFor(reader, caller, id), at);
}

export function addTerminal({
  db,
  randomBytes,
  hashPairingCode: hashCode,
}: Pairing): Handler<operations['addTerminal'], PersonCaller> {
  return async ({ caller, body, at }) => {
    requireFreshFactor(caller, at);
    const terminal = {
      companyId: body.company_id,
      name: body.name,
      location: body.location,
      departments: body.department_ids ?? [],
      showInfo: body.show_info === true,
      infoWithoutPin: body.info_without_pin === true,
      badgeAndPin: body.badge_and_pin === true,
      ...(body.repeat_lock_seconds === undefined ? {} : { repeatLockSeconds: body.repeat_lock_seconds }),
      issuingAllowed: body.issuing_allowed === true,
    };
    const needs: PairingNeeds = { randomBytes, hashCode };
    return {
      status: 201,
      body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
        const { id, code } = await add(write, caller, terminal, needs);
        return withCode(write, caller, id, code, at);
      }),
    };
  };
}

export function renewPairingCode({
  db,
  randomBytes,
  hashPairingCode: hashCode,
}: Pairing): Handler<operations['renewPairingCode'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    requireFreshFactor(caller, at);
    return {
      status: 201,
      body: await db.write({ actor: actorOf(caller.person), at }, async (write) =>
        withCode(write, caller, id, await renew(write, caller, id, { randomBytes, hashCode }), at),
      ),
    };
  };
}

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

export function confirmTerminal({ db }: Db): Handler<operations['confirmTerminal'], PersonCaller> {
  return async ({ caller, path: { id }, body: { fingerprint }, at }) => {
    requireFreshFactor(caller, at);
    return {
      status: 200,
      body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
        await confirm(write, caller, id, fingerprint);
        return shown(write, caller, id, at);
      }),
    };
  };
}

export function updateTerminal({ db }: Db): Handler<operations['updateTerminal'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => ({
    status: 200,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      await changeTerminal(write, caller, id, changeOf(body));
      return shown(write, caller, id, at);
    }),
  });
}

function changeOf(body: components['schemas']['TerminalChange']): TerminalChange {
  const flag = (value: boolean) => (value ? 1 : 0);
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.location === undefined ? {} : { location: body.location }),
    ...(body.department_ids === undefined ? {} : { departments: body.department_ids }),
    ...(body.show_info === undefined ? {} : { show_info: flag(body.show_info) }),
    ...(body.info_without_pin === undefined ? {} : { info_without_pin: flag(body.info_without_pin) }),
    ...(body.badge_and_pin === undefined ? {} : { badge_and_pin: flag(body.badge_and_pin) }),
    ...(body.repeat_lock_seconds === undefined ? {} : { repeat_lock_seconds: body.repeat_lock_seconds }),
    ...(body.issuing_allowed === undefined ? {} : { issuing_allowed: flag(body.issuing_allowed) }),
  };
}

export function removeTerminal({ db }: Db): Handler<operations['removeTerminal'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    requireFreshFactor(caller, at);
    await db.write({ actor: actorOf(caller.person), at }, (write) => remove(write, caller, id));
    return { status: 204 };
  };
}

export function resumeTerminal({ db }: Db): Handler<operations['resumeTerminal'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    requireFreshFactor(caller, at);
    return {
      status: 200,
      body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
        await resume(write, caller, id);
        return shown(write, caller, id, at);
      }),
    };
  };
}

export function startIssuing({
  db,
  dataKey,
}: Pick<AppNeeds, 'db' | 'dataKey'>): Handler<operations['startIssuing'], PersonCaller> {
  return async ({ caller, path: { id }, body: { user_id: personId }, at }) => {
    if (dataKey === undefined) throw new Refusal('data_key_missing');
    return {
      status: 201,
      body: await db.write({ actor: actorOf(caller.person), at }, async (write) => {
        await start(write, caller, id, personId);
        return presentIssuing(write, (await findIssuing(write, id))!, { viewerId: caller.person.id, at });
      }),
    };
  };
}

export function showIssuing({ db }: Db): Handler<operations['showIssuing'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    await terminalFor(db, caller, id);
    const issuing = await findIssuing(db, id);
    if (issuing === undefined) throw new Refusal('not_found');
    return { status: 200, body: await presentIssuing(db, issuing, { viewerId: caller.person.id, at }) };
  };
}

export function cancelIssuing({ db }: Db): Handler<operations['cancelIssuing'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, (write) => cancel(write, caller, id));
    return { status: 204 };
  };
}
