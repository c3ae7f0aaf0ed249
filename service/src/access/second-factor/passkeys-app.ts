import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { isFresh, requireFreshFactor } from '../../people/caller.js';
import { enrolPasskey, revokePasskey } from './factor-steps.js';
import { listPasskeyRows, type PasskeyRow } from './passkey-rows.js';
import { challengePasskeys, changePasskeyName, offerPasskey } from './passkeys.js';

export const listPasskeys: AppHandler<'listPasskeys'> = async ({ db, caller: { person } }) => ({
  status: 200,
  body: { data: (await listPasskeyRows(db, person.id)).map(presentPasskey) },
});

export const beginPasskey: AppHandler<'beginPasskey'> = async ({
  db,
  sealingKeys,
  relyingParty,
  randomBytes,
  caller,
  at,
}) => {
  const { person, session } = caller;
  if (session.stage === 'complete') requireFreshFactor(caller, at);
  const registration = {
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
    return offerPasskey(write, registration, randomBytes, at);
  });
  return { status: 200, body: { public_key: options, expires_at: formatInstant(expiresAt) } };
};

export const addPasskey: AppHandler<'addPasskey'> = async ({
  db,
  sealingKeys,
  relyingParty,
  cookies,
  randomBytes,
  caller,
  body: { name, credential },
  at,
}) => {
  if (caller.session.stage === 'complete') requireFreshFactor(caller, at);
  const { passkey, recoveryCodes, token } = await enrolPasskey(
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
      recovery_codes: recoveryCodes === undefined ? undefined : [...recoveryCodes],
    },
  };
};

export const requestPasskey: AppHandler<'requestPasskey'> = async ({
  db,
  relyingParty,
  randomBytes,
  caller: { person, session },
  at,
}) => {
  const { options, expiresAt } = await db.write({ actor: actorOf(person), at }, (write) => {
    write.unaudited('credential');
    return challengePasskeys(write, { personId: person.id, sessionId: session.id, relyingParty }, randomBytes, at);
  });
  return { status: 200, body: { public_key: options, expires_at: formatInstant(expiresAt) } };
};

export const renamePasskey: AppHandler<'renamePasskey'> = async ({ db, caller, path: { id }, body: { name }, at }) => {
  const { person } = caller;
  return {
    status: 200,
    body: presentPasskey(
      await db.write({ actor: actorOf(caller.person), at }, (write) =>
        changePasskeyName(write, { personId: person.id, companyId: person.company_id, id, name }),
      ),
    ),
  };
};

export const removePasskey: AppHandler<'removePasskey'> = async ({
  db,
  passwords,
  cookies,
  randomBytes,
  caller,
  path: { id },
  body,
  at,
}) => {
  requireFreshFactor(caller, at);
  const { token, factorRemains } = await revokePasskey(
    { db, passwords, randomBytes },
    caller,
    { id, password: body.password },
    at,
  );
  return {
    status: 200,
    headers: { 'set-cookie': cookies.setSession(token) },
    body: { next: factorRemains ? 'done' : 'enrol' },
  };
};

function presentPasskey({ id, name, created_at, last_used_at }: PasskeyRow): components['schemas']['Passkey'] {
  return {
    id,
    name,
    created_at: formatInstant(created_at),
    last_used_at: formatInstant(last_used_at),
  };
}
