import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/app-types.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { isFresh, type PersonCaller, requireFreshFactor } from '../../people/caller.js';
import type { AccessNeeds } from '../needs.js';
import { presentSession } from '../present-session.js';
import { countRecoveryCodes, findCredential } from '../rows.js';
import { confirmAuthenticator, proveInSession, readProof, removeAuthenticator } from './factor-steps.js';
import { countPasskeys } from './passkey-rows.js';
import { beginEnrolment, renewRecoveryCodes as renewCodes } from './second-factor.js';
import { enrolmentUri, toBase32 } from './totp.js';

export function showSecondFactor({
  db,
}: Pick<AccessNeeds, 'db'>): Handler<operations['showSecondFactor'], PersonCaller> {
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
}: Pick<AccessNeeds, 'db' | 'sealingKeys' | 'randomBytes'>): Handler<operations['enrolSecondFactor'], PersonCaller> {
  return async ({ caller: { person, session }, at }) => {
    const { secret, expiresAt } = await db.write({ actor: actorOf(person), at }, (write) => {
      write.unaudited('credential');
      const enrolling = {
        personId: person.id,
        keys: sealingKeys,
        proven: isFresh(session, at),
        first: session.stage === 'password',
      };
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
}: Pick<AccessNeeds, 'db' | 'sealingKeys' | 'cookies' | 'randomBytes'>): Handler<
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
  needs: Pick<AccessNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes' | 'extensionsEnabled'>,
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
}: Pick<AccessNeeds, 'db' | 'sealingKeys' | 'randomBytes'>): Handler<operations['renewRecoveryCodes'], PersonCaller> {
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
}: Pick<AccessNeeds, 'db' | 'passwords' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes'>): Handler<
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
