/**
 * The second factor: a TOTP secret in an authenticator app, passkeys, or both, and ten recovery codes in case they are
 * lost. Every code and every signature works once.
 */

import { crockford, type RandomBytes, readCrockford } from '@clockproof/platform/bytes/random-text';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { KeyName, SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Transaction } from '../../store/tables.js';
import type { Write } from '../../store/write.js';
import {
  type CredentialRow,
  countFactorTry,
  countRecoveryCodes,
  deleteRecoveryCodes,
  deleteSealedRecoveryCodes,
  deleteTotp,
  findCredential,
  forgetPendingFactor,
  hasSecondFactor,
  lockCredential,
  replaceRecoveryCodes,
  resetFactorTries,
  type SealedCredential,
  saveFactor,
  savePendingFactor,
  takeRecoveryCode,
  takeStep,
} from '../rows.js';
import { takeWay } from '../ways-in.js';
import { countPasskeys } from './passkey-rows.js';
import { type PasskeyProof, takePasskey } from './passkeys.js';
import { matchingStep, totpSecretBytes } from './totp.js';

const enrolmentMilliseconds = 10 * minute;
const tryWindow = 15 * minute;
/** With three accepted steps, ten attempts in fifteen minutes succeed in one of 33,000 windows: a year of guessing. */
const tryLimit = 10;
const recoveryCodeCount = 10;

interface Someone {
  readonly personId: PersonId;
  readonly companyId: CompanyId;
}

const associatedData = (personId: PersonId) => `second factor of person ${personId}`;

/** Gives a person a second factor whose secret they already have. @param secret 20 bytes */
export async function enrolTotp(
  write: Write,
  { personId, companyId, secret, keys, step = 0 }: Someone & { secret: Uint8Array; keys: SealingKeys; step?: number },
): Promise<void> {
  const { at } = write;
  await saveFactor(write, {
    personId,
    sealed: keys.get(keys.current).seal(associatedData(personId), secret),
    sealedBy: keys.current,
    step,
    at,
  });
  await write.audit({ companyId, action: 'second_factor.enrolled', subject: `person ${personId}` });
}

/**
 * A person about to set up an authenticator app. `proven`: the second factor is fresh in this session; `first`: the
 * session stands at the password step.
 */
interface Enrolment {
  readonly personId: PersonId;
  readonly keys: SealingKeys;
  readonly proven: boolean;
  readonly first: boolean;
}

/**
 * With the password alone, only the very first second factor can be set up. @throws Refusal `second_factor_enrolled`,
 * `second_factor_required`
 */
function refuseEnrolling(credential: CredentialRow | undefined, { proven, first }: Enrolment, passkeys: number): void {
  if (credential !== undefined && credential.totp_enrolled_at !== null) throw new Refusal('second_factor_enrolled');
  if (!proven && (passkeys > 0 || !first)) throw new Refusal('second_factor_required');
}

/** A new secret that awaits its first code. @throws Refusal `second_factor_enrolled`, `second_factor_required` */
export async function beginEnrolment(
  tx: Transaction,
  enrolment: Enrolment,
  randomBytes: RandomBytes,
  at: Instant,
): Promise<{ readonly secret: Uint8Array; readonly expiresAt: Instant }> {
  const { personId, keys } = enrolment;
  refuseEnrolling(await findCredential(tx, personId), enrolment, await countPasskeys(tx, personId));
  const secret = randomBytes(totpSecretBytes);
  const expiresAt = at + enrolmentMilliseconds;
  await savePendingFactor(tx, {
    personId,
    sealed: keys.get(keys.current).seal(associatedData(personId), secret),
    sealedBy: keys.current,
    expiresAt,
  });
  return { secret, expiresAt };
}

export type FactorProof =
  | { readonly code: string }
  | { readonly recoveryCode: string }
  | { readonly passkey: PasskeyProof };
/**
 * The outcome of a proof. `wrong` and `wait` are outcomes, not errors, because the count of attempts must be committed.
 */
export type FactorOutcome =
  | { readonly accepted: true; readonly passkey?: string }
  | { readonly accepted: false; readonly code: 'second_factor_invalid' }
  | { readonly accepted: false; readonly code: 'rate_limited'; readonly retryAfter: number };

const rejection: FactorOutcome = { accepted: false, code: 'second_factor_invalid' };
const acceptance: FactorOutcome = { accepted: true };

/** Nothing happened but that the attempt was counted. */
function refuse(write: Write, outcome: FactorOutcome): FactorOutcome {
  write.unaudited('attempt');
  return outcome;
}

/** Completes an enrolment with the first code of the app, which uses up the code. */
export async function confirmEnrolment(
  write: Write,
  { companyId, code, ...enrolment }: Enrolment & Someone & { code: string },
): Promise<FactorOutcome> {
  const { at } = write;
  const { personId, keys } = enrolment;
  const tries = await countFactorTry(write, personId, at, tryWindow);
  const credential = await findCredential(write, personId);
  refuseEnrolling(credential, enrolment, await countPasskeys(write, personId));
  if (credential === undefined) return refuse(write, rejection);
  if (tries > tryLimit) return refuse(write, waitFor(credential.factor_tries_since, at));
  if (credential.pending_sealed === null || credential.pending_expires_at! <= at) return refuse(write, rejection);
  const secret = keys.get(credential.pending_sealed_by!).open(associatedData(personId), credential.pending_sealed);
  const step = matchingStep(secret, code, at);
  if (step === undefined) return refuse(write, rejection);
  await enrolTotp(write, { personId, companyId, secret, keys, step });
  return acceptance;
}

/**
 * Checks a one-time password, a passkey or a recovery code. The attempt is counted before it is evaluated; a correct
 * one is used up.
 */
export async function proveSecondFactor(
  write: Write,
  { personId, companyId, proof, keys }: Someone & { proof: FactorProof; keys: SealingKeys },
): Promise<FactorOutcome> {
  const { at } = write;
  // A signature cannot be guessed: it needs no bound, and wrong codes of someone else do not keep its owner out.
  if ('passkey' in proof) {
    await lockCredential(write, personId);
    return provePasskey(write, { personId, companyId, proof: proof.passkey });
  }
  const tries = await countFactorTry(write, personId, at, tryWindow);
  const credential = await findCredential(write, personId);
  if (credential === undefined || !(await hasSecondFactor(write, personId))) return refuse(write, rejection);
  if (tries > tryLimit) return refuse(write, waitFor(credential.factor_tries_since, at));
  const isRight =
    'code' in proof
      ? credential.totp_sealed !== null &&
        (await takeCode(
          write,
          personId,
          keys.get(credential.totp_sealed_by!).open(associatedData(personId), credential.totp_sealed),
          proof.code,
          at,
        ))
      : await takeRecovery(write, personId, proof.recoveryCode, keys, at);
  if (!isRight) {
    await write.audit({ companyId, action: 'second_factor.refused', subject: `person ${personId}` });
    return refuse(write, rejection);
  }
  await resetFactorTries(write, personId);
  if ('recoveryCode' in proof) {
    await takeWay(write, 'recoveryCode', personId);
    await write.audit({
      companyId,
      action: 'recovery_code.used',
      subject: `person ${personId}`,
      details: { left: await countRecoveryCodes(write, personId) },
    });
  }
  return acceptance;
}

async function provePasskey(
  write: Write,
  { personId, companyId, proof }: Someone & { proof: PasskeyProof },
): Promise<FactorOutcome> {
  const { at } = write;
  const outcome = await takePasskey(write, personId, proof, at);
  if (outcome === 'wrong') {
    await write.audit({ companyId, action: 'second_factor.refused', subject: `person ${personId}` });
    return refuse(write, rejection);
  }
  if ('copied' in outcome) {
    const { copied: passkey, storedCounter, assertedCounter } = outcome;
    await write.audit({
      companyId,
      action: 'passkey.counter_went_back',
      subject: `person ${personId}`,
      details: { passkey, before: { counter: storedCounter }, after: { counter: assertedCounter } },
    });
    return refuse(write, rejection);
  }
  await resetFactorTries(write, personId);
  return { accepted: true, passkey: outcome.passkey };
}

function waitFor(since: Instant, at: Instant): FactorOutcome {
  return {
    accepted: false,
    code: 'rate_limited',
    retryAfter: Math.max(1, Math.ceil((since + tryWindow - at) / 1_000)),
  };
}

/**
 * Turns an outcome into its refusal, after the counting transaction has committed. @throws Refusal
 * `second_factor_invalid`, `rate_limited`
 */
export function refuseUnproven(outcome: FactorOutcome): void {
  if (outcome.accepted) return;
  throw outcome.code === 'rate_limited'
    ? new Refusal('rate_limited', { headers: { 'retry-after': String(outcome.retryAfter) } })
    : new Refusal('second_factor_invalid');
}

async function takeCode(
  tx: Transaction,
  personId: PersonId,
  secret: Uint8Array,
  code: string,
  at: Instant,
): Promise<boolean> {
  const step = matchingStep(secret, code, at);
  return step !== undefined && takeStep(tx, personId, step);
}

async function takeRecovery(
  tx: Transaction,
  personId: PersonId,
  text: string,
  keys: SealingKeys,
  at: Instant,
): Promise<boolean> {
  // Codes created before DATA_KEY was set are hashed with the installation's secret.
  const names: KeyName[] = keys.current === 'data_key' ? ['data_key', 'installation'] : ['installation'];
  for (const name of names) {
    if (await takeRecoveryCode(tx, personId, recoveryHash(keys, name, personId, text), name, at)) return true;
  }
  return false;
}

// A fast hash does not protect 50 bits; without the key, codes cannot be guessed offline.
function recoveryHash(keys: SealingKeys, name: KeyName, personId: PersonId, text: string): string {
  return keys.get(name).hash('recovery code', `${personId} ${readCrockford(text)}`);
}

/** A person replaces their codes and gets a notice. @returns the codes, available only here */
export async function giveNewRecoveryCodes(
  write: Write,
  holder: Someone & { keys: SealingKeys },
  randomBytes: RandomBytes,
): Promise<string[]> {
  await takeWay(write, 'recoveryCodes', holder.personId);
  return createRecoveryCodes(write, holder, randomBytes);
}

/** Ten codes, in place of all earlier ones. @returns the codes, available only here */
export async function createRecoveryCodes(
  write: Write,
  { personId, companyId, keys }: Someone & { keys: SealingKeys },
  randomBytes: RandomBytes,
): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => {
    const text = crockford(10, randomBytes);
    return `${text.slice(0, 5)}-${text.slice(5)}`;
  });
  await replaceRecoveryCodes(
    write,
    personId,
    codes.map((code) => recoveryHash(keys, keys.current, personId, code)),
    keys.current,
  );
  await write.audit({ companyId, action: 'recovery_codes.renewed', subject: `person ${personId}` });
  return codes;
}

/**
 * Ends everything a person signs in with, so that a password alone is never enough to set up a new second factor. Only
 * a link lets them in again.
 */
export async function resetAccess(
  write: Write,
  way: 'resetByCommand' | 'resetByAdmin',
  { personId, companyId }: Someone,
): Promise<void> {
  await lockCredential(write, personId);
  await takeWay(write, way, personId);
  await write.audit({ companyId, action: 'second_factor.removed', subject: `person ${personId}` });
}

/**
 * Removes the authenticator app and ends the person's sessions except `keepSession`. Removing the last second factor
 * also deletes the recovery codes.
 * @returns whether a second factor remains
 */
export async function removeTotp(
  write: Write,
  { personId, companyId, keepSession }: Someone & { keepSession: string },
): Promise<boolean> {
  await deleteTotp(write, personId);
  const factorRemains = await hasSecondFactor(write, personId);
  if (!factorRemains) await deleteRecoveryCodes(write, personId);
  await takeWay(write, 'factorRemoval', personId, { keepSession });
  await write.audit({ companyId, action: 'second_factor.removed', subject: `person ${personId}` });
  return factorRemains;
}

/**
 * Gives up the factors that need a lost `DATA_KEY`: the authenticator app and the recovery codes. The person's sessions
 * end, and they get a notice. Passkeys stay: no key of the installation protects them. Without one, the password ends.
 */
export async function giveUpSealedFactor(
  write: Write,
  { person_id: personId, company_id: companyId, has_app: hasApp }: SealedCredential,
): Promise<void> {
  await lockCredential(write, personId);
  if (hasApp === 0) {
    await forgetPendingFactor(write, personId);
    await deleteSealedRecoveryCodes(write, personId);
    return;
  }
  await deleteTotp(write, personId);
  const factorRemains = await hasSecondFactor(write, personId);
  if (factorRemains) await deleteSealedRecoveryCodes(write, personId);
  await takeWay(write, factorRemains ? 'appByLostKey' : 'resetByLostKey', personId);
  await write.audit({
    companyId,
    action: 'second_factor.removed',
    subject: `person ${personId}`,
    details: { because: 'data_key_lost' },
  });
}
