import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components, operations } from '../../generated/app-types.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { isFresh, type PersonCaller, requireFreshFactor } from '../../people/caller.js';
import type { AccessNeeds } from '../needs.js';
import { addPasskey as add, removePasskey as remove } from './factor-steps.js';
import { listPasskeyRows, type PasskeyRow } from './passkey-rows.js';
import { beginPasskey as begin, renamePasskey as rename, requestPasskey as request } from './passkeys.js';

export function listPasskeys({ db }: Pick<AccessNeeds, 'db'>): Handler<operations['listPasskeys'], PersonCaller> {
  return async ({ caller: { person } }) => ({
    status: 200,
    body: { data: (await listPasskeyRows(db, person.id)).map(presentPasskey) },
  });
}

export function beginPasskey({
  db,
  sealingKeys,
  relyingParty,
  randomBytes,
}: Pick<AccessNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'randomBytes'>): Handler<
  operations['beginPasskey'],
  PersonCaller
> {
  return async ({ caller, at }) => {
    const { person, session } = caller;
    if (session.stage === 'complete') requireFreshFactor(caller, at);
    const adding = {
      personId: person.id,
      sessionId: session.id,
      proven: isFresh(session, at),
      relyingParty,
      account: person.email ?? nameOf(person),
      displayName: nameOf(person),
      keys: sealingKeys,
    };
    const { options, expiresAt } = await db.write({ actor: actorOf(person), at }, (write) => {
      write.unaudited('credential');
      return begin(write, adding, randomBytes, at);
    });
    return { status: 200, body: { public_key: options, expires_at: formatInstant(expiresAt) } };
  };
}

export function addPasskey({
  db,
  sealingKeys,
  relyingParty,
  cookies,
  randomBytes,
}: Pick<AccessNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes'>): Handler<
  operations['addPasskey'],
  PersonCaller
> {
  return async ({ caller, body: { name, credential }, at }) => {
    if (caller.session.stage === 'complete') requireFreshFactor(caller, at);
    const { passkey, recoveryCodes, token } = await add(
      { db, sealingKeys, randomBytes },
      caller,
      { relyingParty, name, credential },
      at,
    );
    return {
      status: 201,
      headers: { 'set-cookie': cookies.setSession(token) },
      body: {
        passkey: presentPasskey(passkey),
        ...(recoveryCodes === undefined ? {} : { recovery_codes: [...recoveryCodes] }),
      },
    };
  };
}

export function requestPasskey({
  db,
  relyingParty,
  randomBytes,
}: Pick<AccessNeeds, 'db' | 'relyingParty' | 'randomBytes'>): Handler<operations['requestPasskey'], PersonCaller> {
  return async ({ caller: { person, session }, at }) => {
    const { options, expiresAt } = await db.write({ actor: actorOf(person), at }, (write) => {
      write.unaudited('credential');
      return request(write, { personId: person.id, sessionId: session.id, relyingParty }, randomBytes, at);
    });
    return { status: 200, body: { public_key: options, expires_at: formatInstant(expiresAt) } };
  };
}

export function renamePasskey({ db }: Pick<AccessNeeds, 'db'>): Handler<operations['renamePasskey'], PersonCaller> {
  return async ({ caller, path: { id }, body: { name }, at }) => {
    const { person } = caller;
    return {
      status: 200,
      body: presentPasskey(
        await db.write({ actor: actorOf(caller.person), at }, (write) =>
          rename(write, { personId: person.id, companyId: person.company_id, id, name }),
        ),
      ),
    };
  };
}

export function removePasskey({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AccessNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<
  operations['removePasskey'],
  PersonCaller
> {
  return async ({ caller, path: { id }, body, at }) => {
    requireFreshFactor(caller, at);
    const { token, left } = await remove({ db, passwords, randomBytes }, caller, { id, password: body.password }, at);
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(token) },
      body: { next: left ? 'done' : 'enrol' },
    };
  };
}

function presentPasskey({ id, name, created_at, last_used_at }: PasskeyRow): components['schemas']['Passkey'] {
  return {
    id,
    name,
    created_at: formatInstant(created_at),
    ...(last_used_at === null ? {} : { last_used_at: formatInstant(last_used_at) }),
  };
}
