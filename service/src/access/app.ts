import type { Reader } from '@clockproof/platform/database/database';
import type { OperationResponse } from '@clockproof/platform/http/operation';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { readFeatures } from '../extensions/features.js';
import type { components, operations } from '../generated/app-types.js';
import type { AppHandler, AppRequest } from '../http/handler.js';
import { actorOf } from '../people/actor.js';
import { Refusal } from '../store/refusal.js';
import { browserOf } from './browser.js';
import { anyProviderEnabled } from './company-sign-in/rows.js';
import { checkPasswordLink, choosePassword, type PasswordLink } from './invitation.js';
import { startPasswordReset } from './password-reset.js';
import { countRecoveryCodes, superAdminExists } from './rows.js';
import { proveInSession, readProof } from './second-factor/factor-steps.js';
import { setUpInstallation } from './set-up.js';
import { endSignIn, signInWithPassword } from './sign-in.js';

export const showInstallation: AppHandler<'showInstallation'> = async ({
  db,
  version,
  extensionsEnabled,
  sendsMail,
}) => ({
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

export const setUp: AppHandler<'setUp'> = async ({
  db,
  passwords,
  cookies,
  randomBytes,
  body,
  headers,
  address,
  at,
}) => {
  const { name, time_zone: timeZone, country, region } = body.company;
  const first = {
    token: body.token,
    company: { name, timeZone, country, region },
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

export const signIn: AppHandler<'signIn'> = async ({
  db,
  passwords,
  cookies,
  randomBytes,
  body: { email, password },
  headers,
  address,
  requestId,
  at,
}) => {
  const browser = browserOf(cookies, headers, address);
  const { token, next } = await signInWithPassword(
    { db, passwords, randomBytes },
    { email, password, browser, requestId },
    at,
  );
  return { status: 200, headers: { 'set-cookie': cookies.setSession(token) }, body: { next } };
};

export const confirmSignIn: AppHandler<'confirmSignIn'> = async (request) => {
  const { db, cookies, caller, body, at } = request;
  const proof = readProof(body, caller, request);
  const token = await proveInSession(request, caller, proof, at);
  return {
    status: 200,
    headers: { 'set-cookie': cookies.setSession(token) },
    body: {
      next: 'done',
      recovery_codes_left: 'recoveryCode' in proof ? await countRecoveryCodes(db, caller.person.id) : undefined,
    },
  };
};

export const signOut: AppHandler<'signOut'> = async ({ db, cookies, caller, at }) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) => endSignIn(write, caller));
  return { status: 204, headers: { 'set-cookie': cookies.clearSession() } };
};

export const checkInvitation: AppHandler<'checkInvitation'> = async ({ db, body, at }) => ({
  status: 200,
  body: await describeLink(db, 'invitation', body.token, at),
});

export const checkPasswordReset: AppHandler<'checkPasswordReset'> = async ({ db, body, at }) => ({
  status: 200,
  body: await describeLink(db, 'password_reset', body.token, at),
});

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

export const acceptInvitation: AppHandler<'acceptInvitation'> = (request) => followLink('invitation', request);

export const resetPassword: AppHandler<'resetPassword'> = (request) => followLink('password_reset', request);

async function followLink(
  kind: PasswordLink,
  request: AppRequest<'acceptInvitation' | 'resetPassword'>,
): Promise<OperationResponse<operations['acceptInvitation']>> {
  const { cookies, body, headers, address, at } = request;
  const { token, next } = await choosePassword(
    request,
    kind,
    { token: body.token, password: body.password, browser: browserOf(cookies, headers, address) },
    at,
  );
  return { status: 200, headers: { 'set-cookie': cookies.setSession(token) }, body: { next } };
}

/** Requests for new passwords from one address in a minute. */
const resetsPerMinute = 5;

export const requestPasswordReset: AppHandler<'requestPasswordReset'> = async ({
  db,
  sendsMail,
  limiter,
  body: { email },
  address,
  at,
}) => {
  if (!sendsMail) throw new Refusal('feature_disabled');
  const { allowed, resetSeconds } = await limiter.consume('password reset', address, resetsPerMinute, at);
  if (!allowed) throw new Refusal('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
  await startPasswordReset(db, email, at);
  return { status: 204 };
};
