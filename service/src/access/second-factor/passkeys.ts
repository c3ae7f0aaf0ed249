/**
 * Passkeys: keys in a laptop, phone or security key that sign a challenge of the service. They prove the second factor,
 * like codes of an authenticator app; the password always comes first. A challenge is random, belongs to one session,
 * and works once, for five minutes.
 */

import { base62, type RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Transaction } from '../../store/tables.js';
import type { Write } from '../../store/write.js';
import { deleteRecoveryCodes, hasSecondFactor, lockCredential } from '../rows.js';
import { takeWay } from '../ways-in.js';
import {
  type ChallengePurpose,
  countPasskeys,
  deletePasskeyRow,
  findPasskeyByCredential,
  insertPasskey,
  listPasskeyRows,
  notePasskeyUse,
  type PasskeyRow,
  renamePasskeyRow,
  saveChallenge,
  takeChallenge,
} from './passkey-rows.js';
import {
  challengeBytes,
  challengeMilliseconds,
  creationOptions,
  type KnownCredential,
  type RelyingParty,
  requestOptions,
} from './webauthn.js';

/** Loaded when the first answer arrives. */
const answers = () => import('./webauthn-answers.js');

type Schemas = components['schemas'];
interface Someone {
  readonly personId: PersonId;
  readonly companyId: CompanyId;
}

export const passkeyLimit = 10;

/**
 * A person about to add a passkey. `proven`: the second factor is fresh in this session; with the password alone, only
 * the very first can be added.
 */
interface Registration {
  readonly personId: PersonId;
  readonly sessionId: string;
  readonly proven: boolean;
  readonly relyingParty: RelyingParty;
}

/** @throws Refusal `second_factor_required`, `passkey_limit` */
async function refuseAdding(reader: Reader, { personId, proven }: Registration): Promise<void> {
  if (!proven && (await hasSecondFactor(reader, personId))) throw new Refusal('second_factor_required');
  if ((await countPasskeys(reader, personId)) >= passkeyLimit) throw new Refusal('passkey_limit');
}

/**
 * The browser's options for creating a passkey.
 * @param account the e-mail address the person signs in with, `displayName` their name
 * @throws Refusal `second_factor_required`, `passkey_limit`
 */
export async function offerPasskey(
  tx: Transaction,
  registration: Registration & { account: string; displayName: string; keys: SealingKeys },
  randomBytes: RandomBytes,
  at: Instant,
): Promise<{ readonly options: Schemas['PublicKeyCredentialCreationOptions']; readonly expiresAt: Instant }> {
  await refuseAdding(tx, registration);
  const { personId, sessionId, relyingParty, account, displayName, keys } = registration;
  const { challenge, expiresAt } = await newChallenge(tx, sessionId, 'registration', randomBytes, at);
  // Uses the installation's own key, so that the value stays the same if DATA_KEY is added later.
  const id = Buffer.from(keys.get('installation').hash('passkey user', String(personId)), 'hex').toString('base64url');
  return {
    options: creationOptions({
      challenge,
      relyingParty,
      user: { id, name: account, displayName },
      knownCredentials: await knownCredentials(tx, personId),
    }),
    expiresAt,
  };
}

export type NewPasskey = Registration &
  Someone & { readonly name: string; readonly credential: Schemas['PasskeyRegistration'] };

/**
 * Verifies the browser's response and stores the passkey.
 * @returns the passkey, and whether the person had no second factor before; undefined if it is not valid
 * (`passkey_refused`, once the used challenge is committed)
 * @throws Refusal `second_factor_required`, `passkey_limit`, `passkey_known`
 */
export async function addPasskey(
  write: Write,
  newPasskey: NewPasskey,
  randomBytes: RandomBytes,
): Promise<{ readonly passkey: PasskeyRow; readonly first: boolean } | undefined> {
  const { at } = write;
  const { personId, companyId, sessionId, relyingParty, name, credential } = newPasskey;
  // Two at once come one after the other: neither is the eleventh, and only one is the first.
  await lockCredential(write, personId);
  await refuseAdding(write, newPasskey);
  const challenge = await takeChallenge(write, sessionId, 'registration', at);
  const registration =
    challenge === undefined
      ? undefined
      : await (await answers()).verifyRegistration({ credential, challenge, relyingParty });
  if (registration === undefined) {
    write.unaudited('attempt');
    return undefined;
  }
  const isFirst = !(await hasSecondFactor(write, personId));
  const passkey: PasskeyRow = {
    id: `pky_${base62(16, randomBytes)}`,
    person_id: personId,
    credential_id: registration.credentialId,
    public_key: registration.publicKey,
    counter: registration.counter,
    transports: JSON.stringify(credential.response.transports ?? []),
    name,
    created_at: at,
    last_used_at: null,
  };
  if (!(await insertPasskey(write, passkey))) throw new Refusal('passkey_known');
  await write.audit({
    companyId,
    action: 'passkey.added',
    subject: `person ${personId}`,
    details: { passkey: passkey.id },
  });
  return { passkey, first: isFirst };
}

/** The browser's options for signing with one of the person's passkeys. @throws Refusal `not_found` they have none */
export async function challengePasskeys(
  tx: Transaction,
  { personId, sessionId, relyingParty }: { personId: PersonId; sessionId: string; relyingParty: RelyingParty },
  randomBytes: RandomBytes,
  at: Instant,
): Promise<{ readonly options: Schemas['PublicKeyCredentialRequestOptions']; readonly expiresAt: Instant }> {
  const credentials = await knownCredentials(tx, personId);
  if (credentials.length === 0) throw new Refusal('not_found');
  const { challenge, expiresAt } = await newChallenge(tx, sessionId, 'assertion', randomBytes, at);
  return { options: requestOptions({ challenge, relyingParty, knownCredentials: credentials }), expiresAt };
}

export interface PasskeyProof {
  readonly assertion: Schemas['PasskeyAssertion'];
  readonly sessionId: string;
  readonly relyingParty: RelyingParty;
}

/**
 * The result of a signature: the passkey's id if it is valid; `copied` if it is valid but the signature counter went
 * backwards.
 */
export type PasskeyOutcome =
  | { readonly passkey: string }
  | 'wrong'
  | { readonly copied: string; readonly storedCounter: number; readonly assertedCounter: number };

/** Uses up the challenge in every outcome. */
export async function takePasskey(
  tx: Transaction,
  personId: PersonId,
  { assertion, sessionId, relyingParty }: PasskeyProof,
  at: Instant,
): Promise<PasskeyOutcome> {
  const challenge = await takeChallenge(tx, sessionId, 'assertion', at);
  const row = await findPasskeyByCredential(tx, personId, assertion.id);
  if (challenge === undefined || row === undefined) return 'wrong';
  const verification = await (await answers()).verifyAssertion({
    assertion,
    challenge,
    relyingParty,
    publicKey: row.public_key,
  });
  if (verification === undefined) return 'wrong';
  // §6.1.1: a device with a counter never repeats a number; one without always sends 0.
  if ((verification.counter > 0 || row.counter > 0) && verification.counter <= row.counter)
    return { copied: row.id, storedCounter: row.counter, assertedCounter: verification.counter };
  await notePasskeyUse(tx, row.id, verification.counter, at);
  return { passkey: row.id };
}

/** @throws Refusal `not_found` */
export async function changePasskeyName(
  write: Write,
  { personId, companyId, id, name }: Someone & { id: string; name: string },
): Promise<PasskeyRow> {
  const row = await renamePasskeyRow(write, id, personId, name);
  if (row === undefined) throw new Refusal('not_found');
  await write.audit({
    companyId,
    action: 'passkey.renamed',
    subject: `person ${personId}`,
    details: { passkey: id },
  });
  return row;
}

/**
 * Removes a passkey and ends the person's sessions except `keepSession`. Removing the last second factor also deletes
 * the recovery codes.
 * @returns whether a second factor remains
 * @throws Refusal `not_found`
 */
export async function removePasskey(
  write: Write,
  { personId, companyId, id, keepSession }: Someone & { id: string; keepSession: string },
): Promise<boolean> {
  await lockCredential(write, personId);
  if (!(await deletePasskeyRow(write, id, personId))) throw new Refusal('not_found');
  const factorRemains = await hasSecondFactor(write, personId);
  if (!factorRemains) await deleteRecoveryCodes(write, personId);
  await takeWay(write, 'factorRemoval', personId, { keepSession });
  await write.audit({
    companyId,
    action: 'passkey.removed',
    subject: `person ${personId}`,
    details: { passkey: id, last: factorRemains ? undefined : true },
  });
  return factorRemains;
}

async function knownCredentials(reader: Reader, personId: PersonId): Promise<KnownCredential[]> {
  return (await listPasskeyRows(reader, personId)).map((row) => ({
    id: row.credential_id,
    transports: JSON.parse(row.transports) as string[],
  }));
}

async function newChallenge(
  tx: Transaction,
  sessionId: string,
  purpose: ChallengePurpose,
  randomBytes: RandomBytes,
  at: Instant,
): Promise<{ readonly challenge: string; readonly expiresAt: Instant }> {
  const challenge = Buffer.from(randomBytes(challengeBytes)).toString('base64url');
  const expiresAt = at + challengeMilliseconds;
  await saveChallenge(tx, sessionId, { challenge, purpose, until: expiresAt });
  return { challenge, expiresAt };
}
