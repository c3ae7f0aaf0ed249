import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { appendAudit } from '../../audit/audit.js';
import type { components, operations } from '../../generated/app-types.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { Refusal } from '../../refusal.js';
import { listPasskeyRows, type PasskeyRow } from '../../sign-in/passkey-rows.js';
import {
  addPasskey as add,
  beginPasskey as begin,
  removePasskey as remove,
  renamePasskey as rename,
  requestPasskey as request,
} from '../../sign-in/passkeys.js';
import { findCredential, noteSignIn } from '../../sign-in/rows.js';
import { renewRecoveryCodes } from '../../sign-in/second-factor.js';
import { isFresh, renewSession } from '../../sign-in/sessions.js';
import { type PersonCaller, requireFreshFactor } from './caller.js';
import type { AppNeeds } from './needs.js';

export function listPasskeys({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listPasskeys'], PersonCaller> {
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
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'randomBytes'>): Handler<
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
    const { options, expiresAt } = await db.write((tx) => begin(tx, adding, randomBytes, at));
    return { status: 200, body: { public_key: options, expires_at: formatInstant(expiresAt) } };
  };
}

export function addPasskey({
  db,
  sealingKeys,
  relyingParty,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes'>): Handler<
  operations['addPasskey'],
  PersonCaller
> {
  return async ({ caller, body: { name, credential }, at }) => {
    const { person, session } = caller;
    if (session.stage === 'complete') requireFreshFactor(caller, at);
    const actor = actorOf(caller.person);
    const someone = { personId: person.id, companyId: person.company_id };
    // One transaction: the passkey, and with the first one its recovery codes and the complete session, stand together
    // or not at all. A challenge that was answered wrongly is used up.
    const result = await db.write(async (tx) => {
      const added = await add(
        tx,
        { ...someone, sessionId: session.id, proven: isFresh(session, at), relyingParty, name, credential },
        actor,
        randomBytes,
        at,
      );
      if (added === undefined) return undefined;
      const codes = added.first
        ? await renewRecoveryCodes(tx, { ...someone, keys: sealingKeys }, actor, randomBytes, at)
        : undefined;
      const token = await renewSession(
        tx,
        session.id,
        session.stage === 'password' ? 'complete' : { keepProof: session.second_factor_at },
        randomBytes,
        at,
      );
      if (session.stage === 'password') {
        await noteSignIn(tx, person.id, at);
        await appendAudit(tx, {
          at,
          companyId: person.company_id,
          actor,
          action: 'sign_in.completed',
          subject: `person ${person.id}`,
          details: { session: session.id, passkey: added.passkey.id },
        });
      }
      return { passkey: added.passkey, codes, token };
    });
    if (result === undefined) throw new Refusal('passkey_refused');
    const { passkey, codes, token } = result;
    return {
      status: 201,
      headers: { 'set-cookie': cookies.setSession(token) },
      body: { passkey: presentPasskey(passkey), ...(codes === undefined ? {} : { recovery_codes: codes }) },
    };
  };
}

export function requestPasskey({
  db,
  relyingParty,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'relyingParty' | 'randomBytes'>): Handler<operations['requestPasskey'], PersonCaller> {
  return async ({ caller: { person, session }, at }) => {
    const { options, expiresAt } = await db.write((tx) =>
      request(tx, { personId: person.id, sessionId: session.id, relyingParty }, randomBytes, at),
    );
    return { status: 200, body: { public_key: options, expires_at: formatInstant(expiresAt) } };
  };
}

export function renamePasskey({ db }: Pick<AppNeeds, 'db'>): Handler<operations['renamePasskey'], PersonCaller> {
  return async ({ caller, path: { id }, body: { name }, at }) => {
    const { person } = caller;
    return {
      status: 200,
      body: presentPasskey(
        await db.write((tx) =>
          rename(tx, { personId: person.id, companyId: person.company_id, id, name }, actorOf(caller.person), at),
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
}: Pick<AppNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<operations['removePasskey'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => {
    requireFreshFactor(caller, at);
    const { person, session } = caller;
    const credential = await findCredential(db, person.id);
    if (!(await passwords.verify(credential?.password_hash, body.password))) throw new Refusal('credentials_invalid');
    const result = await db.write(async (tx) => {
      const left = await remove(
        tx,
        { personId: person.id, companyId: person.company_id, id, keepSession: session.id },
        actorOf(caller.person),
        at,
      );
      return {
        left,
        token: await renewSession(
          tx,
          session.id,
          left ? { keepProof: session.second_factor_at } : 'password',
          randomBytes,
          at,
        ),
      };
    });
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(result.token) },
      body: { next: result.left ? 'done' : 'enrol' },
    };
  };
}

export function presentPasskey({ id, name, created_at, last_used_at }: PasskeyRow): components['schemas']['Passkey'] {
  return {
    id,
    name,
    created_at: formatInstant(created_at),
    ...(last_used_at === null ? {} : { last_used_at: formatInstant(last_used_at) }),
  };
}
