import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { readFeatures } from '../extensions/features.js';
import type { components, operations } from '../generated/app-types.js';
import { actorOf } from '../people/actor.js';
import type { PersonCaller } from '../people/caller.js';
import { Refusal } from '../store/refusal.js';
import type { Visitor } from './authenticate-person.js';
import { browserOf } from './browser.js';
import { anyProviderEnabled } from './company-sign-in/rows.js';
import { checkPasswordLink, choosePassword, type PasswordLink } from './invitation.js';
import type { AccessNeeds } from './needs.js';
import { requestPasswordReset as request } from './password-reset.js';
import { countRecoveryCodes, superAdminExists } from './rows.js';
import { proveInSession, readProof } from './second-factor/factor-steps.js';
import { setUp as setUpInstallation } from './set-up.js';
import { signOut as end, signIn as openWithPassword } from './sign-in.js';

export function showInstallation({
  db,
  version,
  extensionsEnabled,
  sendsMail,
}: Pick<AccessNeeds, 'db' | 'version' | 'extensionsEnabled' | 'sendsMail'>): Handler<
  operations['showInstallation'],
  Visitor
> {
  return async () => ({
    status: 200,
    body: {
      version,
      set_up_needed: !(await superAdminExists(db)),
      languages: ['de', 'en'],
      features: await readFeatures(db, extensionsEnabled),
      mail: sendsMail,
      company_sign_in: await anyProviderEnabled(db),
    },
  });
}

export function setUp({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AccessNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<operations['setUp'], Visitor> {
  return async ({ body, headers, address, at }) => {
    const { name, time_zone: timeZone, country, region } = body.company;
    const first = {
      token: body.token,
      company: { name, timeZone, country, ...(region === undefined ? {} : { region }) },
      firstName: body.first_name,
      lastName: body.last_name,
      email: body.email,
      password: body.password,
      language: body.language ?? 'de',
      browser: browserOf(cookies, headers, address),
    };
    const { token } = await setUpInstallation({ db, passwords, randomBytes }, first, at);
    return { status: 201, headers: { 'set-cookie': cookies.setSession(token) }, body: { next: 'enrol' } };
  };
}

export function signIn({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AccessNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<operations['signIn'], Visitor> {
  return async ({ body: { email, password }, headers, address, requestId, at }) => {
    const browser = browserOf(cookies, headers, address);
    const { token, next } = await openWithPassword(
      { db, passwords, randomBytes },
      { email, password, browser, requestId },
      at,
    );
    return { status: 200, headers: { 'set-cookie': cookies.setSession(token) }, body: { next } };
  };
}

export function confirmSignIn(
  needs: Pick<AccessNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes'>,
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

export function signOut({
  db,
  cookies,
}: Pick<AccessNeeds, 'db' | 'cookies'>): Handler<operations['signOut'], PersonCaller> {
  return async ({ caller, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, (write) => end(write, caller));
    return { status: 204, headers: { 'set-cookie': cookies.clearSession() } };
  };
}

export function checkInvitation({ db }: Pick<AccessNeeds, 'db'>): Handler<operations['checkInvitation'], Visitor> {
  return async ({ body, at }) => ({ status: 200, body: await describeLink(db, 'invitation', body.token, at) });
}

export function checkPasswordReset({
  db,
}: Pick<AccessNeeds, 'db'>): Handler<operations['checkPasswordReset'], Visitor> {
  return async ({ body, at }) => ({ status: 200, body: await describeLink(db, 'password_reset', body.token, at) });
}

async function describeLink(
  reader: Reader,
  kind: PasswordLink,
  token: string,
  at: Instant,
): Promise<components['schemas']['Invitation']> {
  const { person, expiresAt } = await checkPasswordLink(reader, kind, token, at);
  return {
    first_name: person.first_name,
    email: person.email,
    company_name: person.company_name,
    expires_at: formatInstant(expiresAt),
  };
}

type LinkNeeds = Pick<AccessNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>;

export function acceptInvitation(needs: LinkNeeds): Handler<operations['acceptInvitation'], Visitor> {
  return followLink(needs, 'invitation');
}

export function resetPassword(needs: LinkNeeds): Handler<operations['resetPassword'], Visitor> {
  return followLink(needs, 'password_reset');
}

function followLink(
  { db, passwords, cookies, randomBytes }: LinkNeeds,
  kind: PasswordLink,
): Handler<operations['acceptInvitation'], Visitor> {
  return async ({ body: { token: link, password }, headers, address, at }) => {
    const { token, next } = await choosePassword(
      { db, passwords, randomBytes },
      kind,
      { token: link, password, browser: browserOf(cookies, headers, address) },
      at,
    );
    return { status: 200, headers: { 'set-cookie': cookies.setSession(token) }, body: { next } };
  };
}

/** Requests for new passwords from one address in a minute. */
const resetsPerMinute = 5;

export function requestPasswordReset({
  db,
  sendsMail,
  limiter,
}: Pick<AccessNeeds, 'db' | 'sendsMail' | 'limiter'>): Handler<operations['requestPasswordReset'], Visitor> {
  return async ({ body: { email }, address, at }) => {
    if (!sendsMail) throw new Refusal('feature_disabled');
    const { allowed, resetSeconds } = await limiter.consume('password reset', address, resetsPerMinute, at);
    if (!allowed) throw new Refusal('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
    await request(db, email, at);
    return { status: 204 };
  };
}
