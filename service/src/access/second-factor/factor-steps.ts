/**
 * Steps of a signed-in person that prove, add or remove a second factor. Each gives the session a new token in the same
 * transaction, so that an earlier token is useless afterwards.
 */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Instant } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';
import { actorOf } from '../../people/actor.js';
import { isFresh, type PersonCaller, type SignedIn } from '../../people/caller.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Store, Write } from '../../store/write.js';
import { bindPending } from '../company-sign-in/binding.js';
import { refuseWrongPassword } from '../credentials.js';
import type { Passwords } from '../password.js';
import { accountInSession } from '../password-tries.js';
import { forgetPasswordTries, noteSignIn } from '../rows.js';
import { renewSession } from '../sessions.js';
import { takeWay } from '../ways-in.js';
import type { PasskeyRow } from './passkey-rows.js';
import { addPasskey, type NewPasskey, removePasskey } from './passkeys.js';
import {
  confirmEnrolment,
  createRecoveryCodes,
  type FactorOutcome,
  type FactorProof,
  proveSecondFactor,
  refuseUnproven,
  removeTotp,
} from './second-factor.js';
import type { RelyingParty } from './webauthn.js';

export interface FactorNeeds {
  readonly db: Store;
  readonly sealingKeys: SealingKeys;
  readonly randomBytes: RandomBytes;
}

/**
 * Proves the second factor: completes a sign-in, or makes the proof fresh again. A code is used up exactly if the
 * session has its new token, and a wrong attempt is counted. A binding that waits for the proof is made with it.
 * @returns the session's new token
 * @throws Refusal `second_factor_invalid`, `rate_limited`; otherwise as `bindPending`
 */
export async function proveInSession(
  { db, sealingKeys, randomBytes }: FactorNeeds,
  signedIn: SignedIn,
  proof: FactorProof,
  at: Instant,
): Promise<string> {
  const result = await db.write({ actor: actorOf(signedIn.person), at }, async (write) => {
    const holder = { ...idsOf(signedIn), proof, keys: sealingKeys };
    const outcome = await proveSecondFactor(write, holder);
    if (!outcome.accepted) return { outcome, token: '' };
    await bindPending(write, signedIn);
    const token = await renewSession(write, signedIn.session.id, 'complete', randomBytes, at);
    await noteCompleted(write, signedIn, outcome.passkey);
    return { outcome, token };
  });
  refuseUnproven(result.outcome);
  return result.token;
}

/**
 * Completes the enrolment of an authenticator app with its first code. The factor, its recovery codes and the complete
 * session exist together or not at all.
 * @throws Refusal `second_factor_invalid`, `rate_limited`, `second_factor_enrolled`, `second_factor_required`
 */
export async function confirmAuthenticator(
  { db, sealingKeys, randomBytes }: FactorNeeds,
  signedIn: SignedIn,
  code: string,
  at: Instant,
): Promise<{ readonly token: string; readonly recoveryCodes: readonly string[] }> {
  const { person, session } = signedIn;
  const holder = { ...idsOf(signedIn), keys: sealingKeys };
  const result = await db.write({ actor: actorOf(person), at }, async (write) => {
    const enrolment = { ...holder, code, proven: isFresh(session, at), first: session.stage === 'password' };
    const outcome = await confirmEnrolment(write, enrolment);
    if (!outcome.accepted) return { outcome, recoveryCodes: [], token: '' };
    await takeWay(write, 'factorAddition', person.id);
    const recoveryCodes = await createRecoveryCodes(write, holder, randomBytes);
    const token = await renewSession(write, session.id, 'complete', randomBytes, at);
    await noteCompleted(write, signedIn, undefined);
    return { outcome, recoveryCodes, token };
  });
  refuseUnproven(result.outcome);
  return result;
}

/**
 * Removes the authenticator app, with the password and a proof of the second factor. Without a remaining factor, the
 * session returns to the password step.
 * @throws Refusal `credentials_invalid`, `second_factor_invalid`, `rate_limited`
 */
export async function removeAuthenticator(
  { db, passwords, sealingKeys, randomBytes }: FactorNeeds & { readonly passwords: Passwords },
  signedIn: SignedIn,
  { password, proof }: { readonly password: string; readonly proof: FactorProof },
  at: Instant,
): Promise<{ readonly token: string; readonly factorRemains: boolean }> {
  const { person, session } = signedIn;
  await refuseWrongPassword(db, passwords, person.id, password, at);
  const result = await db.write(
    { actor: actorOf(person), at },
    async (write): Promise<{ outcome: FactorOutcome; factorRemains: boolean; token: string }> => {
      const holder = { ...idsOf(signedIn), proof, keys: sealingKeys };
      const outcome = await proveSecondFactor(write, holder);
      if (!outcome.accepted) return { outcome, token: '', factorRemains: true };
      await forgetPasswordTries(write, accountInSession(person.id));
      const factorRemains = await removeTotp(write, { ...idsOf(signedIn), keepSession: session.id });
      const token = await renewSession(write, session.id, factorRemains ? 'complete' : 'password', randomBytes, at);
      return { outcome, factorRemains, token };
    },
  );
  refuseUnproven(result.outcome);
  return result;
}

/**
 * Adds a passkey. A person's first factor comes with recovery codes and completes the session; all of it exists
 * together or not at all. A wrongly answered challenge is used up.
 * @throws Refusal `passkey_refused`; otherwise as `addPasskey` of passkeys
 */
export async function enrolPasskey(
  { db, sealingKeys, randomBytes }: FactorNeeds,
  signedIn: SignedIn,
  passkey: Pick<NewPasskey, 'relyingParty' | 'name' | 'credential'>,
  at: Instant,
): Promise<{
  readonly passkey: PasskeyRow;
  readonly recoveryCodes: readonly string[] | undefined;
  readonly token: string;
}> {
  const { person, session } = signedIn;
  const actor = actorOf(person);
  const result = await db.write({ actor, at }, async (write) => {
    const newPasskey = { ...passkey, ...idsOf(signedIn), sessionId: session.id, proven: isFresh(session, at) };
    const outcome = await addPasskey(write, newPasskey, randomBytes);
    if (outcome === undefined) return undefined;
    await takeWay(write, 'factorAddition', person.id);
    const recoveryCodes = outcome.first
      ? await createRecoveryCodes(write, { ...idsOf(signedIn), keys: sealingKeys }, randomBytes)
      : undefined;
    const stage = session.stage === 'password' ? 'complete' : { keepProof: session.second_factor_at };
    const token = await renewSession(write, session.id, stage, randomBytes, at);
    await noteCompleted(write, signedIn, outcome.passkey.id);
    return { passkey: outcome.passkey, recoveryCodes, token };
  });
  if (result === undefined) throw new Refusal('passkey_refused');
  return result;
}

/**
 * Removes a passkey, with the password. Without a remaining factor, the session returns to the password step.
 * @throws Refusal `credentials_invalid`, `rate_limited`, `not_found`
 */
export async function revokePasskey(
  { db, passwords, randomBytes }: Omit<FactorNeeds, 'sealingKeys'> & { readonly passwords: Passwords },
  signedIn: SignedIn,
  { id, password }: { readonly id: string; readonly password: string },
  at: Instant,
): Promise<{ readonly token: string; readonly factorRemains: boolean }> {
  const { person, session } = signedIn;
  await refuseWrongPassword(db, passwords, person.id, password, at);
  return db.write({ actor: actorOf(person), at }, async (write) => {
    await forgetPasswordTries(write, accountInSession(person.id));
    const factorRemains = await removePasskey(write, { ...idsOf(signedIn), id, keepSession: session.id });
    const stage = factorRemains ? { keepProof: session.second_factor_at } : 'password';
    return { factorRemains, token: await renewSession(write, session.id, stage, randomBytes, at) };
  });
}

function idsOf({ person }: SignedIn): { readonly personId: PersonId; readonly companyId: CompanyId } {
  return { personId: person.id, companyId: person.company_id };
}

/** A session at the password step is complete now: the person has signed in. */
async function noteCompleted(write: Write, { person, session }: SignedIn, passkey: string | undefined): Promise<void> {
  const { at } = write;
  // The factor shown once more in a complete session: only its token changes.
  if (session.stage !== 'password') return write.unaudited('credential');
  await noteSignIn(write, person.id, session.address, at);
  await write.audit({
    companyId: person.company_id,
    action: 'sign_in.completed',
    subject: `person ${person.id}`,
    details: { session: session.id, passkey },
  });
}

/** The proof of the second factor in a request: a passkey, a code of the app, or a recovery code. */
export function readProof(
  body: Pick<components['schemas']['SecondFactorProof'], 'code' | 'recovery_code' | 'passkey'>,
  { session }: PersonCaller,
  { relyingParty }: { readonly relyingParty: RelyingParty },
): FactorProof {
  if (body.passkey !== undefined) return { passkey: { assertion: body.passkey, sessionId: session.id, relyingParty } };
  return body.code === undefined ? { recoveryCode: body.recovery_code ?? '' } : { code: body.code };
}
