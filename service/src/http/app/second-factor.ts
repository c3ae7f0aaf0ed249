import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/app-types.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { confirmAuthenticator, proveInSession, removeAuthenticator } from '../../sign-in/factor-steps.js';
import { countPasskeys } from '../../sign-in/passkey-rows.js';
import { countRecoveryCodes, findCredential } from '../../sign-in/rows.js';
import { beginEnrolment, renewRecoveryCodes as renewCodes } from '../../sign-in/second-factor.js';
import { isFresh } from '../../sign-in/sessions.js';
import { enrolmentUri, toBase32 } from '../../sign-in/totp.js';
import { type PersonCaller, requireFreshFactor } from './caller.js';
import type { AppNeeds } from './needs.js';
import { presentSession } from './sessions.js';
import { readProof } from './sign-in.js';

export function showSecondFactor({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showSecondFactor'], PersonCaller> {
  return async ({ caller: { person } }) => {
    const enrolledAt = (await findCredential(db, person.id))?.totp_enrolled_at ?? null;
    const passkeys = await countPasskeys(db, person.id);
    return {
      status: 200,
      body: {
        enrolled: enrolledAt !== null || passkeys > 0,
        ...(enrolledAt === null ? {} : { enrolled_at: formatInstant(enrolledAt) }),
        passkeys,
        recovery_codes_left: await countRecoveryCodes(db, person.id),
      },
    };
  };
}

export function enrolSecondFactor({
  db,
  sealingKeys,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'randomBytes'>): Handler<operations['enrolSecondFactor'], PersonCaller> {
  return async ({ caller: { person, session }, at }) => {
    const { secret, expiresAt } = await db.write({ actor: actorOf(person), at }, (write) => {
      write.unaudited('credential');
      const enrolling = { personId: person.id, keys: sealingKeys, proven: isFresh(session, at) };
      return beginEnrolment(write, enrolling, randomBytes, at);
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
}

export function confirmSecondFactor({
  db,
  sealingKeys,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'cookies' | 'randomBytes'>): Handler<
  operations['confirmSecondFactor'],
  PersonCaller
> {
  return async ({ caller, body, at }) => {
    const { token, recoveryCodes } = await confirmAuthenticator(
      { db, sealingKeys, randomBytes },
      caller,
      body.code,
      at,
    );
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(token) },
      body: { recovery_codes: [...recoveryCodes] },
    };
  };
}

export function proveSecondFactor(
  needs: Pick<AppNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes' | 'extensionsEnabled'>,
): Handler<operations['proveSecondFactor'], PersonCaller> {
  return async ({ caller, body, at }) => {
    const token = await proveInSession(needs, caller, readProof(body, caller, needs), at);
    const session = { ...caller.session, second_factor_at: at };
    return {
      status: 200,
      headers: { 'set-cookie': needs.cookies.setSession(token) },
      body: await presentSession(needs.db, { ...caller, session }, needs.extensionsEnabled, at),
    };
  };
}

export function renewRecoveryCodes({
  db,
  sealingKeys,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'randomBytes'>): Handler<operations['renewRecoveryCodes'], PersonCaller> {
  return async ({ caller, at }) => {
    requireFreshFactor(caller, at);
    const { person } = caller;
    const codes = await db.write({ actor: actorOf(caller.person), at }, (write) =>
      renewCodes(write, { personId: person.id, companyId: person.company_id, keys: sealingKeys }, randomBytes),
    );
    return { status: 200, body: { recovery_codes: codes } };
  };
}

export function removeSecondFactor({
  db,
  passwords,
  sealingKeys,
  relyingParty,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'passwords' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes'>): Handler<
  operations['removeSecondFactor'],
  PersonCaller
> {
  return async ({ caller, body, at }) => {
    const { token, left } = await removeAuthenticator(
      { db, passwords, sealingKeys, randomBytes },
      caller,
      { password: body.password, proof: readProof(body, caller, { relyingParty }) },
      at,
    );
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(token) },
      body: { next: left ? 'done' : 'enrol' },
    };
  };
}
