import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { isTimeZone } from '@clockproof/platform/time/local-date';
import { appendAudit } from '../../audit/audit.js';
import { readFeatures } from '../../extensions/features.js';
import type { components, operations } from '../../generated/app-types.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { addCompany, addPerson } from '../../people/people.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { aboutPerson, checkPassword, newerHash, setPassword } from '../../sign-in/credentials.js';
import { refuseWeakPassword } from '../../sign-in/password.js';
import {
  countRecoveryCodes,
  deleteSetUpLinks,
  findCredentialByEmail,
  findOneTimeLink,
  hasSecondFactor,
  markEnded,
  noteSignIn,
  renewHash,
  superAdminExists,
  takeOneTimeLink,
} from '../../sign-in/rows.js';
import {
  type FactorOutcome,
  type FactorProof,
  proveSecondFactor,
  refuseUnproven,
} from '../../sign-in/second-factor.js';
import { hashOfSecret } from '../../sign-in/secrets.js';
import { openSession, renewSession } from '../../sign-in/sessions.js';
import { allCompanies } from '../../tenant/scope.js';
import { invalid } from '../shared/page.js';
import type { PersonCaller, Visitor } from './caller.js';
import type { AppNeeds } from './needs.js';

export function showInstallation({
  db,
  version,
  extensionsEnabled,
}: Pick<AppNeeds, 'db' | 'version' | 'extensionsEnabled'>): Handler<operations['showInstallation'], Visitor> {
  return async () => ({
    status: 200,
    body: {
      version,
      set_up_needed: !(await superAdminExists(db)),
      languages: ['de', 'en'],
      features: await readFeatures(db, extensionsEnabled),
    },
  });
}

export function setUp({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<operations['setUp'], Visitor> {
  return async ({ body, headers, address, at }) => {
    const hash = hashOfSecret(body.token);
    // Looked at before the slow hash, so that nobody without the link makes the service compute one.
    if ((await findOneTimeLink(db, hash, 'set_up', at)) === undefined) throw new Refusal('one_time_link_invalid');
    if (!isTimeZone(body.company.time_zone))
      throw invalid('company.time_zone', 'There is no such time zone.', 'unknown');
    refuseWeakPassword(body.password, [body.first_name, body.last_name, body.email, body.company.name]);
    const passwordHash = await passwords.hash(body.password);
    // If the process stops before the commit the link still works; after it the super admin exists and every set-up
    // link is dead.
    const token = await db.write(async (tx) => {
      if ((await takeOneTimeLink(tx, hash, 'set_up', at)) === undefined || (await superAdminExists(tx)))
        throw new Refusal('one_time_link_invalid');
      if ((await findCredentialByEmail(tx, body.email.toLowerCase())) !== undefined)
        throw invalid('email', 'Somebody signs in with this address already.', 'taken');
      await deleteSetUpLinks(tx);
      const actor = { kind: 'system', name: 'Set-up' } as const;
      const { name, time_zone: timeZone, country, region } = body.company;
      const companyId = await addCompany(
        tx,
        { name, timeZone, country, ...(region === undefined ? {} : { region }) },
        actor,
        at,
      );
      const personId = await addPerson(
        tx,
        {
          companyId,
          firstName: body.first_name,
          lastName: body.last_name,
          email: body.email,
          role: 'super_admin',
          language: body.language ?? 'de',
        },
        actor,
        at,
      );
      await setPassword(tx, { personId, companyId, passwordHash }, actor, at);
      return (
        await openSession(
          tx,
          { personId, address, device: headers['user-agent'], before: cookies.session(headers) },
          randomBytes,
          at,
        )
      ).token;
    });
    return { status: 201, headers: { 'set-cookie': cookies.setSession(token) }, body: { next: 'enrol' } };
  };
}

export function signIn({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<operations['signIn'], Visitor> {
  return async ({ body, headers, address, at }) => {
    const { credential, fits } = await checkPassword(db, passwords, body.email, body.password);
    const person = credential && (await findPerson(db, credential.person_id, allCompanies));
    if (!fits || credential === undefined || person === undefined) {
      // Written for unknown addresses too: both refusals do the same work.
      await db.write((tx) =>
        appendAudit(tx, {
          at,
          companyId: person?.company_id,
          actor: { kind: 'system' },
          action: 'sign_in.refused',
          ...(person === undefined ? {} : { subject: `person ${person.id}` }),
        }),
      );
      throw new Refusal('credentials_invalid');
    }
    const renewed = await newerHash(passwords, credential, body.password);
    const token = await db.write(async (tx) => {
      if (renewed !== undefined) await renewHash(tx, person.id, credential.password_hash!, renewed);
      const session = await openSession(
        tx,
        { personId: person.id, address, device: headers['user-agent'], before: cookies.session(headers) },
        randomBytes,
        at,
      );
      await appendAudit(tx, {
        at,
        companyId: person.company_id,
        actor: { kind: 'person', id: String(person.id), name: nameOf(person) },
        action: 'sign_in.password',
        subject: `person ${person.id}`,
        details: { session: session.id },
      });
      return session.token;
    });
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(token) },
      body: { next: (await hasSecondFactor(db, person.id)) ? 'second_factor' : 'enrol' },
    };
  };
}

export function confirmSignIn(
  needs: Pick<AppNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes'>,
): Handler<operations['confirmSignIn'], PersonCaller> {
  return async ({ caller, body, at }) => {
    const proof = readProof(body, caller, needs);
    const token = await proveInSession(needs, caller, proof, at);
    return {
      status: 200,
      headers: { 'set-cookie': needs.cookies.setSession(token) },
      body: {
        next: 'done',
        ...('recoveryCode' in proof
          ? { recovery_codes_left: await countRecoveryCodes(needs.db, caller.person.id) }
          : {}),
      },
    };
  };
}

/** What every step with a proof of the second factor does: judge it, count it, and give the session a new token. */
export function readProof(
  body: Pick<components['schemas']['SecondFactorProof'], 'code' | 'recovery_code' | 'passkey'>,
  { session }: PersonCaller,
  { relyingParty }: Pick<AppNeeds, 'relyingParty'>,
): FactorProof {
  if (body.passkey !== undefined) return { passkey: { assertion: body.passkey, sessionId: session.id, relyingParty } };
  return body.code === undefined ? { recoveryCode: body.recovery_code ?? '' } : { code: body.code };
}

/**
 * @returns the new token of the session, whose proof is fresh now
 * @throws Refusal `second_factor_invalid`, `rate_limited`; the try is counted all the same
 */
export async function proveInSession(
  { db, sealingKeys, randomBytes }: Pick<AppNeeds, 'db' | 'sealingKeys' | 'randomBytes'>,
  caller: PersonCaller,
  proof: FactorProof,
  at: Instant,
): Promise<string> {
  const { person, session } = caller;
  const actor = actorOf(caller.person);
  let token = '';
  // One transaction: the code is used up exactly if the session has its new token, and a wrong try is counted.
  const outcome = await db.write(async (tx): Promise<FactorOutcome> => {
    const judged = await proveSecondFactor(
      tx,
      { personId: person.id, companyId: person.company_id, proof, keys: sealingKeys },
      actor,
      at,
    );
    if (!judged.accepted) return judged;
    token = await renewSession(tx, session.id, 'complete', randomBytes, at);
    if (session.stage === 'password') {
      await noteSignIn(tx, person.id, at);
      await appendAudit(tx, {
        at,
        companyId: person.company_id,
        actor,
        action: 'sign_in.completed',
        subject: `person ${person.id}`,
        details: { session: session.id, ...(judged.passkey === undefined ? {} : { passkey: judged.passkey }) },
      });
    }
    return judged;
  });
  refuseUnproven(outcome);
  return token;
}

export function signOut({
  db,
  cookies,
}: Pick<AppNeeds, 'db' | 'cookies'>): Handler<operations['signOut'], PersonCaller> {
  return async ({ caller, at }) => {
    const { person, session } = caller;
    await db.write(async (tx) => {
      await markEnded(tx, session.id, person.id, at);
      await appendAudit(tx, {
        at,
        companyId: person.company_id,
        actor: actorOf(caller.person),
        action: 'sign_in.ended',
        subject: `person ${person.id}`,
        details: { session: session.id },
      });
    });
    return { status: 204, headers: { 'set-cookie': cookies.clearSession() } };
  };
}

export function checkInvitation({ db }: Pick<AppNeeds, 'db'>): Handler<operations['checkInvitation'], Visitor> {
  return async ({ body, at }) => {
    const link = await findOneTimeLink(db, hashOfSecret(body.token), 'invitation', at);
    const person = link && (await findPerson(db, link.person_id!, allCompanies));
    if (link === undefined || person === undefined || person.active === 0 || person.email === null)
      throw new Refusal('one_time_link_invalid');
    return {
      status: 200,
      body: {
        first_name: person.first_name,
        email: person.email,
        company_name: person.company_name,
        expires_at: formatInstant(link.expires_at),
      },
    };
  };
}

export function acceptInvitation({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<operations['acceptInvitation'], Visitor> {
  return async ({ body, headers, address, at }) => {
    const hash = hashOfSecret(body.token);
    const link = await findOneTimeLink(db, hash, 'invitation', at);
    const person = link && (await findPerson(db, link.person_id!, allCompanies));
    if (person === undefined || person.active === 0 || person.company_active === 0)
      throw new Refusal('one_time_link_invalid');
    refuseWeakPassword(body.password, aboutPerson(person));
    const passwordHash = await passwords.hash(body.password);
    // If the process stops before the commit the link still works; after it the password stands and the link is used
    // up.
    const { token, enrolled } = await db.write(async (tx) => {
      if ((await takeOneTimeLink(tx, hash, 'invitation', at)) === undefined) throw new Refusal('one_time_link_invalid');
      await setPassword(
        tx,
        { personId: person.id, companyId: person.company_id, passwordHash },
        { kind: 'person', id: String(person.id), name: nameOf(person) },
        at,
      );
      const session = await openSession(
        tx,
        { personId: person.id, address, device: headers['user-agent'], before: cookies.session(headers) },
        randomBytes,
        at,
      );
      return { token: session.token, enrolled: await hasSecondFactor(tx, person.id) };
    });
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(token) },
      body: { next: enrolled ? 'second_factor' : 'enrol' },
    };
  };
}
