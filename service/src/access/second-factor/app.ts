import { formatInstant } from '@clockproof/platform/time/instant';
import type { AppHandler } from '../../http/handler.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { isFresh, requireFreshFactor } from '../../people/caller.js';
import { presentSession } from '../present-session.js';
import { countRecoveryCodes, findCredential } from '../rows.js';
import { confirmAuthenticator, proveInSession, readProof, removeAuthenticator } from './factor-steps.js';
import { countPasskeys } from './passkey-rows.js';
import { beginEnrolment, giveNewRecoveryCodes } from './second-factor.js';
import { enrolmentUri, toBase32 } from './totp.js';

export const showSecondFactor: AppHandler<'showSecondFactor'> = async ({ db, caller: { person } }) => {
  const enrolledAt = (await findCredential(db, person.id))?.totp_enrolled_at ?? null;
  const passkeys = await countPasskeys(db, person.id);
  return {
    status: 200,
    body: {
      enrolled: enrolledAt !== null || passkeys > 0,
      enrolled_at: formatInstant(enrolledAt),
      passkeys,
      recovery_codes_left: await countRecoveryCodes(db, person.id),
    },
  };
};

export const enrolSecondFactor: AppHandler<'enrolSecondFactor'> = async ({
  db,
  sealingKeys,
  randomBytes,
  caller: { person, session },
  at,
}) => {
  const { secret, expiresAt } = await db.write({ actor: actorOf(person), at }, (write) => {
    write.unaudited('credential');
    const enrolment = {
      personId: person.id,
      keys: sealingKeys,
      proven: isFresh(session, at),
      first: session.stage === 'password',
    };
    return beginEnrolment(write, enrolment, randomBytes, at);
  });
  return {
    status: 200,
    body: {
      secret: toBase32(secret),
      uri: enrolmentUri(secret, person.email ?? nameOf(person)),
      expires_at: formatInstant(expiresAt),
    },
  };
};

export const confirmSecondFactor: AppHandler<'confirmSecondFactor'> = async ({
  db,
  sealingKeys,
  cookies,
  randomBytes,
  caller,
  body,
  at,
}) => {
  const { token, recoveryCodes } = await confirmAuthenticator({ db, sealingKeys, randomBytes }, caller, body.code, at);
  return {
    status: 200,
    headers: { 'set-cookie': cookies.setSession(token) },
    body: { recovery_codes: [...recoveryCodes] },
  };
};

export const proveSecondFactor: AppHandler<'proveSecondFactor'> = async (request) => {
  const { db, cookies, extensionsEnabled, caller, body, at } = request;
  const token = await proveInSession(request, caller, readProof(body, caller, request), at);
  const session = { ...caller.session, second_factor_at: at };
  return {
    status: 200,
    headers: { 'set-cookie': cookies.setSession(token) },
    body: await presentSession(db, { ...caller, session }, extensionsEnabled, at),
  };
};

export const renewRecoveryCodes: AppHandler<'renewRecoveryCodes'> = async ({
  db,
  sealingKeys,
  randomBytes,
  caller,
  at,
}) => {
  requireFreshFactor(caller, at);
  const { person } = caller;
  const codes = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    giveNewRecoveryCodes(write, { personId: person.id, companyId: person.company_id, keys: sealingKeys }, randomBytes),
  );
  return { status: 200, body: { recovery_codes: codes } };
};

export const removeSecondFactor: AppHandler<'removeSecondFactor'> = async ({
  db,
  passwords,
  sealingKeys,
  relyingParty,
  cookies,
  randomBytes,
  caller,
  body,
  at,
}) => {
  const { token, factorRemains } = await removeAuthenticator(
    { db, passwords, sealingKeys, randomBytes },
    caller,
    { password: body.password, proof: readProof(body, caller, { relyingParty }) },
    at,
  );
  return {
    status: 200,
    headers: { 'set-cookie': cookies.setSession(token) },
    body: { next: factorRemains ? 'done' : 'enrol' },
  };
};
