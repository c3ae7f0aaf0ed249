/**
 * Every operation that writes, called once over HTTP: what it appends to the audit log and to the events. The table
 * holds every operation of both documents; one that is missing does not compile.
 */

import { dialects } from '@clockproof/platform/testing/databases';
import { formatInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertOneTimeLink } from '../src/access/rows.js';
import { oneTimePassword, stepAt } from '../src/access/second-factor/totp.js';
import { hashOfSecret } from '../src/access/secrets.js';
import { appOperations, type EventType, operations } from '../src/generated/contract.js';
import { notify } from '../src/inbox/notices.js';
import type { AuditAction } from '../src/store/audit/actions.js';
import { type CreationOptions, createAuthenticator, type RequestOptions } from './authenticator.js';
import {
  addSuperAdmin,
  type Browser,
  codeOf,
  createBrowser,
  factorKeysOf,
  fromBase32,
  giveCredentials,
  password,
} from './browser.js';
import { addDoor, type Door, deviceKey, issueBadge, openDoor, pair } from './door.js';
import { startToldProvider, type ToldProvider } from './identity-provider.js';
import { addApp, ask, consent, decide, exchange, link, post } from './linking.js';
import { callWithLostRight, momentsOn, type Right } from './lost-right.js';
import { type Receiver, startReceiver } from './receivers.js';
import { type Answer, allScopes, createWorld, dataKey, type World } from './world.js';

const linkScopes = ['read:time_entries', 'read:leave_entries', 'write:clock', 'write:absences'];

type Writing<Table extends Record<string, { readonly method: string }>> = {
  [Id in keyof Table]: Table[Id]['method'] extends 'get' ? never : Id;
}[keyof Table];
type WritingOperationId = Writing<typeof operations> | Writing<typeof appOperations>;

/** What a successful call appends. */
type Appends = { readonly events?: readonly EventType[] } & (
  | { readonly audit: AuditAction }
  | { readonly audits: readonly AuditAction[]; readonly because: string }
);

/** @returns the call, once everything it needs is there */
type Operation = Appends & { readonly arrange: (scene: Scene) => Promise<() => Promise<Answer>> };

const bookedTime = { kind: 'payout', minutes: -60, date: '2026-11-23', reason: 'Paid out' };
const vacation = { type: 'vacation', start_date: '2027-03-01', end_date: '2027-03-02' };

/** The four stamps, in their order: those before one are arranged. */
const stamps = ['in', 'break/start', 'break/end', 'out'] as const;
const stampWithKey = (verb: (typeof stamps)[number]) => async (scene: Scene) => {
  const { key, person } = await scene.withKey();
  const stamp = (step: string) => scene.world.call('POST', `/api/v1/clock/${step}`, { key, body: { user_id: person } });
  for (const step of stamps.slice(0, stamps.indexOf(verb))) await ensureSuccess(stamp(step));
  return () => stamp(verb);
};
const stampMyself = (verb: (typeof stamps)[number]) => async (scene: Scene) => {
  const { browser } = await scene.signedIn();
  for (const step of stamps.slice(0, stamps.indexOf(verb)))
    await ensureSuccess(browser.call('POST', `/app/me/clock/${step}`));
  return () => browser.call('POST', `/app/me/clock/${verb}`);
};

/** What an admin does to a company, a person or an extension of their own. */
const onCompany =
  (method: string, path: string, body?: object, prepare?: (root: Browser, company: number) => Promise<unknown>) =>
  async (scene: Scene) => {
    const root = await scene.root();
    const { company, department } = await scene.company();
    const recordId = await prepare?.(root, company);
    const filledPath = path.replace('{department}', String(department)).replace('{record_id}', String(recordId));
    return () => root.call(method, `/app/admin/companies/${company}${filledPath}`, { body });
  };
const addHoliday = async (root: Browser, company: number) => {
  const body = { date: '2026-12-24', kind: 'half_day', name_en: 'Christmas Eve' };
  return (await ensureSuccess(root.call('POST', `/app/admin/companies/${company}/holidays`, { body }))).body['id'];
};
const onPerson =
  (
    method: string,
    path: string,
    body?: object | ((person: number, company: number) => object),
    prepare?: (root: Browser, person: number) => Promise<unknown>,
  ) =>
  async (scene: Scene) => {
    const { company, person } = await scene.employee();
    const root = await scene.root();
    const recordId = await prepare?.(root, person);
    return () =>
      root.call(method, `/app/admin/people/${person}${path.replace('{record_id}', String(recordId))}`, {
        body: typeof body === 'function' ? body(person, company) : body,
      });
  };
/** A super admin and an approver of the same company. */
const onSubstitutes = (isRemoval: boolean) => async (scene: Scene) => {
  const root = await scene.root();
  const substitute = await scene.world.hire({
    companyId: scene.world.sued,
    firstName: scene.name('Sub'),
    lastName: 'Stead',
    role: 'approver',
  });
  const name = () => root.call('POST', '/app/me/substitutes', { body: { user_id: substitute } });
  if (!isRemoval) return name;
  const { body } = await ensureSuccess(name());
  return () => root.call('DELETE', `/app/me/substitutes/${body['id'] as string}`);
};

/** October of a company in which somebody's time is tracked since then. */
const onTrackedOctober =
  (path: string, body?: object, prepare?: (root: Browser, path: string) => Promise<Answer>) => async (scene: Scene) => {
    const { company, person } = await scene.employee();
    const root = await scene.root();
    const openingBalance = { date: '2026-10-01', balance_minutes: 0 };
    await ensureSuccess(root.call('PUT', `/app/admin/people/${person}/opening-balance`, { body: openingBalance }));
    const month = `/app/admin/companies/${company}/months/2026-10`;
    if (prepare !== undefined) await ensureSuccess(prepare(root, month));
    return () => root.call('POST', month + path, { body });
  };
/** The same, closed. */
async function closedOctober(scene: Scene) {
  const { company, person } = await scene.employee();
  const root = await scene.root();
  const openingBalance = { date: '2026-10-01', balance_minutes: 0 };
  await ensureSuccess(root.call('PUT', `/app/admin/people/${person}/opening-balance`, { body: openingBalance }));
  await ensureSuccess(root.call('POST', `/app/admin/companies/${company}/months/2026-10/close`));
  return { company, person, root };
}
/** Somebody of the closed month who has left. */
async function arrangeLeaver(scene: Scene) {
  const { root, person } = await closedOctober(scene);
  const deactivation = { employment_end: '2026-10-31' };
  await ensureSuccess(root.call('POST', `/app/admin/people/${person}/deactivation`, { body: deactivation }));
  return { root, person };
}
async function proofTokenFor(scene: Scene): Promise<string> {
  const { root, person } = await arrangeLeaver(scene);
  const { body } = await ensureSuccess(root.call('POST', `/app/admin/people/${person}/proof-link`));
  return String(body['url']).split('#')[1]!;
}
const anchor = {
  tx: '7fqJ6T3hVb3mJXy9n6fUuQ3sAtj4sGZq1cB8dEw5kLrP',
  sender: `0x${'4c'.repeat(32)}`,
  package: `0x${'9d'.repeat(32)}`,
  chain: '6364aad5',
  checks: [{ index: 'https://index.example', verdict: 'match' }],
};
const onCommitment = (path: string, body: object) => async (scene: Scene) => {
  const { company } = await closedOctober(scene);
  const { key } = await addApp(scene.world, scene.name('Anchor'), {
    companyId: company,
    keyReads: 'everyone',
    scopes: ['read:commitments', 'write:anchors'],
  });
  const { body: list } = await ensureSuccess(scene.world.call('GET', '/api/v1/commitments', { key }));
  const [{ id }] = list['data'] as [{ id: number }];
  return () => scene.world.call('POST', `/api/v1/commitments/${id}/${path}`, { key, body });
};
const onExtension =
  (
    method: string,
    path: string,
    {
      body,
      more = {},
      prepare,
    }: { body?: object; more?: object; prepare?: (root: Browser, path: string) => unknown } = {},
  ) =>
  async (scene: Scene) => {
    const { extension } = await scene.withKey(more);
    const root = await scene.root();
    await prepare?.(root, `/app/admin/extensions/${extension}`);
    return () => root.call(method, `/app/admin/extensions/${extension}${path}`, { body });
  };

const onTerminal = (method: string, path: string, body?: object) => async (scene: Scene) => {
  const root = await scene.root();
  const { terminalId } = await addDoor(scene.world, { name: scene.name('Gate') });
  return () => root.call(method, `/app/admin/terminals/${terminalId}${path}`, { body });
};
const issuingAt = (verb: 'POST' | 'DELETE') => async (scene: Scene) => {
  const root = await scene.root();
  const { door } = await scene.atDoor();
  const path = `/app/admin/terminals/${door.terminalId}/issuing`;
  const start = () => root.call('POST', path, { body: { user_id: scene.world.people.ada } });
  if (verb === 'DELETE') await ensureSuccess(start());
  return verb === 'POST' ? start : () => root.call('DELETE', path);
};
const onBadge = (verb: string, firstVerb?: string) => async (scene: Scene) => {
  const { badge } = await scene.atDoor();
  const root = await scene.root();
  const path = `/app/admin/badges/${badge}`;
  if (firstVerb !== undefined) await ensureSuccess(root.call('POST', `${path}/${firstVerb}`));
  return () => root.call('POST', `${path}/${verb}`);
};

/** An approver in front of a request of somebody else. */
const onWaitingRequest = async (scene: Scene) => {
  const { company, browser } = await scene.signedIn();
  await ensureSuccess(browser.call('POST', '/app/me/absences', { body: vacation }));
  const root = await scene.root();
  const { body } = await ensureSuccess(root.call('GET', `/app/approvals?company_id=${company}`));
  const [{ id }] = body['data'] as [{ id: string }];
  return { root, id };
};
const onRequest = (verb: 'approve' | 'reject') => async (scene: Scene) => {
  const { root, id } = await onWaitingRequest(scene);
  return () => root.call('POST', `/app/approvals/${id}/${verb}`, { body: { comment: 'Seen' } });
};

/** An admin in front of a stamp of a card that nobody has. */
const onUnresolvedStamp = async (scene: Scene) => {
  const { world } = scene;
  const { door } = await scene.atDoor();
  const { body } = await ensureSuccess(door.send('GET', '/api/v1/terminal/status'));
  const number = (body['offline_last_number'] as number) + 1;
  const stamp = { number, uid: '04ffffffffffff', action: 'in', at: formatInstant(world.now()) };
  await ensureSuccess(door.send('POST', '/api/v1/terminal/offline', { stamps: [stamp] }));
  const root = await scene.root();
  const list = await ensureSuccess(root.call('GET', `/app/unresolved-stamps?company_id=${world.nord}`));
  return { root, id: (list.body['data'] as { id: string }[]).at(-1)!.id };
};

const onOwnAbsence = (method: string, body?: object) => async (scene: Scene) => {
  const { browser } = await scene.signedIn();
  const absence = await ensureSuccess(browser.call('POST', '/app/me/absences', { body: vacation }));
  return () => browser.call(method, `/app/me/absences/${absence.body['id']}`, { body });
};

/** An admin in front of what is approved for somebody else. */
const onAbsenceOf = (method: string, body?: object) => async (scene: Scene) => {
  const { person } = await scene.employee();
  const root = await scene.root();
  const absence = await ensureSuccess(root.call('POST', `/app/people/${person}/absences`, { body: vacation }));
  return () => root.call(method, `/app/absences/${absence.body['id']}`, { body });
};
const onKeysAbsence = (method: string, body?: object) => async (scene: Scene) => {
  const { key, person } = await scene.withKey();
  const absence = await ensureSuccess(
    scene.world.call('POST', '/api/v1/absences', { key, body: { user_id: person, ...vacation } }),
  );
  return () => scene.world.call(method, `/api/v1/absences/${absence.body['id']}`, { key, body });
};

/** The link of a mail with a new password. */
const resetTokenFor = async (scene: Scene): Promise<string> => {
  const { world } = scene;
  const { person } = await scene.member();
  const token = `rst_${person}`;
  await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
    write.unaudited('credential');
    await insertOneTimeLink(write, {
      hash: hashOfSecret(token),
      kind: 'password_reset',
      person_id: person,
      created_at: world.now(),
      expires_at: world.now() + 60_000,
    });
  });
  return token;
};

const work = { start: '2026-11-20T07:00:00Z', end: '2026-11-20T15:00:00Z', reason: 'Forgot to stamp' };

const table = {
  clockIn: { audit: 'clock.in', events: ['clock.in'], arrange: stampWithKey('in') },
  startBreak: { audit: 'clock.break_start', events: ['clock.break_start'], arrange: stampWithKey('break/start') },
  endBreak: { audit: 'clock.break_end', events: ['clock.break_end'], arrange: stampWithKey('break/end') },
  clockOut: { audit: 'clock.out', events: ['clock.out'], arrange: stampWithKey('out') },
  createAbsence: {
    audit: 'absence.requested',
    events: ['leave.requested'],
    async arrange(scene) {
      const { key, person } = await scene.withKey();
      return () => scene.world.call('POST', '/api/v1/absences', { key, body: { user_id: person, ...vacation } });
    },
  },
  updateAbsence: {
    audit: 'absence.changed',
    events: ['leave.changed'],
    arrange: onKeysAbsence('PATCH', { end_date: '2027-03-03' }),
  },
  deleteAbsence: { audit: 'absence.withdrawn', events: ['leave.withdrawn'], arrange: onKeysAbsence('DELETE') },

  pairTerminal: {
    audit: 'terminal.paired',
    async arrange({ world }) {
      const { code } = await addDoor(world);
      return () => pair(world, code, deviceKey('pairing').publicKey);
    },
  },
  openCardSession: {
    audits: [],
    because: 'a card that was only held there proves nothing; a refusal is audited',
    async arrange(scene) {
      const { door, card } = await scene.atDoor();
      return () => door.send('POST', '/api/v1/terminal/card', { uid: card.uidHex });
    },
  },
  stepCardSession: {
    audits: [],
    because: 'a step of a dialogue; what comes of it is audited',
    async arrange(scene) {
      const { door, card } = await scene.atDoor();
      const { body } = await ensureSuccess(door.send('POST', '/api/v1/terminal/card', { uid: card.uidHex }));
      const response = Buffer.from(card.apdu(Buffer.from(body['apdu'] as string, 'hex'))).toString('hex');
      return () => door.send('POST', '/api/v1/terminal/card/step', { session: body['session'], response });
    },
  },
  stampAtTerminal: {
    audit: 'clock.in',
    events: ['clock.in'],
    async arrange(scene) {
      const { door, card } = await scene.atDoor();
      const { body } = await ensureSuccess(door.hold(card));
      return () => door.send('POST', '/api/v1/terminal/stamp', { session: body['session'], action: 'in' });
    },
  },
  getTerminalInfo: {
    audits: [],
    because: 'balances are read; only the nonce is used up',
    async arrange(scene) {
      const { card } = await scene.atDoor();
      const door = await openDoor(scene.world, 'balances', { showInfo: true, infoWithoutPin: true });
      const { body } = await ensureSuccess(door.hold(card));
      return () => door.send('POST', '/api/v1/terminal/info', { session: body['session'] });
    },
  },
  uploadOfflineStamps: {
    audit: 'offline_stamp.recorded',
    events: ['time_entry.changed'],
    async arrange(scene) {
      const { door, card } = await scene.atDoor();
      const stamp = { uid: card.uidHex, action: 'in', at: formatInstant(scene.world.now()) };
      const { body } = await ensureSuccess(door.send('GET', '/api/v1/terminal/status'));
      const number = (body['offline_last_number'] as number) + 1;
      return () => door.send('POST', '/api/v1/terminal/offline', { stamps: [{ number, ...stamp }] });
    },
  },
  chooseTerminalPin: {
    audit: 'pin.set',
    async arrange(scene) {
      const { door } = await scene.atDoor();
      const session = await scene.world.db.get<{ id: string }>(
        "SELECT id FROM card_sessions WHERE terminal_id = :terminal AND state = 'choosing_pin'",
        { terminal: door.terminalId },
      );
      return () => door.send('POST', '/api/v1/terminal/pin', { session: session!.id, pin: '406318' });
    },
  },
  endTerminalSession: {
    audits: [],
    because: 'nothing happened',
    async arrange(scene) {
      const { door, card } = await scene.atDoor();
      const { body } = await ensureSuccess(door.hold(card));
      return () => door.send('POST', '/api/v1/terminal/session/end', { session: body['session'] });
    },
  },

  addTerminal: {
    audits: ['terminal.added', 'terminal.pairing_code'],
    because: 'a new terminal comes with its first pairing code',
    async arrange(scene) {
      const root = await scene.root();
      const body = { company_id: scene.world.nord, name: scene.name('Gate'), location: 'Hamburg' };
      return () => root.call('POST', '/app/admin/terminals', { body });
    },
  },
  updateTerminal: { audit: 'terminal.changed', arrange: onTerminal('PATCH', '', { badge_and_pin: true }) },
  removeTerminal: { audit: 'terminal.removed', arrange: onTerminal('DELETE', '') },
  renewPairingCode: { audit: 'terminal.pairing_code', arrange: onTerminal('POST', '/pairing-code') },
  confirmTerminal: {
    audit: 'terminal.confirmed',
    async arrange(scene) {
      const root = await scene.root();
      const { terminalId, code } = await addDoor(scene.world, { name: scene.name('Gate') });
      const { body } = await ensureSuccess(pair(scene.world, code, deviceKey(terminalId).publicKey));
      return () =>
        root.call('POST', `/app/admin/terminals/${terminalId}/confirmation`, {
          body: { fingerprint: body['fingerprint'] },
        });
    },
  },
  resumeTerminal: {
    audit: 'terminal.proofs_resumed',
    async arrange(scene) {
      const root = await scene.root();
      const { door } = await scene.atDoor();
      await scene.world.db.write((tx) =>
        tx.run('UPDATE terminals SET proofs_stopped_at = 1 WHERE id = :id', { id: door.terminalId }),
      );
      return () => root.call('POST', `/app/admin/terminals/${door.terminalId}/resumption`);
    },
  },
  changeCardKeys: {
    audit: 'card.lock_set',
    async arrange(scene) {
      const root = await scene.root();
      const path = `/app/admin/companies/${scene.world.nord}/card-keys`;
      const { lock_cards: locked } = (await ensureSuccess(root.call('GET', path))).body;
      return () => root.call('PATCH', path, { body: { lock_cards: locked !== true } });
    },
  },
  rotateCardKeys: {
    audit: 'card.key_rotated',
    async arrange(scene) {
      const root = await scene.root();
      return () => root.call('POST', `/app/admin/companies/${scene.world.nord}/card-keys/rotation`);
    },
  },
  setCompanySignIn: {
    audit: 'company.sign_in_set',
    async arrange(scene) {
      const root = await scene.root();
      const body = await scene.providerSettings();
      return () => root.call('PUT', `/app/admin/companies/${scene.world.nord}/sign-in`, { body });
    },
  },
  beginCompanySignIn: {
    audits: [],
    because: 'nobody has signed in; what the provider answers is audited',
    async arrange(scene) {
      await scene.companySignIn();
      return () => createBrowser(scene.world.url).call('POST', '/app/sign-in/company', { body: { account: 'nord' } });
    },
  },
  completeCompanySignIn: {
    audits: ['sign_in.linked', 'sign_in.company'],
    because: 'the first sign-in binds the account to the person',
    async arrange(scene) {
      await scene.companySignIn();
      const browser = createBrowser(scene.world.url);
      const { body } = await ensureSuccess(browser.call('POST', '/app/sign-in/company', { body: { account: 'nord' } }));
      const parameters = new URL(body['url'] as string).searchParams;
      scene.provider.next = {
        claims: { nonce: parameters.get('nonce'), email: 'ada@clockproof.example', email_verified: true },
      };
      const query = new URLSearchParams({ code: 'c', state: parameters.get('state')!, iss: scene.provider.issuer });
      return () =>
        browser.call('POST', '/app/sign-in/company/completion', {
          body: { company_id: scene.world.nord, query: query.toString() },
        });
    },
  },
  startIssuing: { audit: 'badge.issuing_started', arrange: issuingAt('POST') },
  cancelIssuing: { audit: 'badge.issuing_cancelled', arrange: issuingAt('DELETE') },
  blockBadge: { audit: 'badge.blocked', arrange: onBadge('block') },
  unblockBadge: { audit: 'badge.unblocked', arrange: onBadge('unblock', 'block') },
  returnBadge: { audit: 'badge.returned', arrange: onBadge('return') },
  blockMyBadge: {
    audit: 'badge.blocked',
    async arrange(scene) {
      const { door } = await scene.atDoor();
      const { ben } = scene.world.people;
      await issueBadge(scene.world, door, ben, '04aa0000000001');
      await giveCredentials(scene.world, [ben], await factorKeysOf(scene.world, dataKey));
      const browser = await scene.world.as(ben);
      const { body } = await ensureSuccess(browser.call('GET', '/app/me/badges'));
      return () => browser.call('POST', `/app/me/badges/${(body['data'] as [{ id: string }])[0].id}/block`);
    },
  },
  changePin: {
    audit: 'pin.set',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      return () => browser.call('PUT', '/app/pin', { body: { pin: '406318' } });
    },
  },
  resetPin: {
    audit: 'pin.reset',
    async arrange(scene) {
      const { browser, person } = await scene.signedIn();
      await ensureSuccess(browser.call('PUT', '/app/pin', { body: { pin: '406318' } }));
      const root = await scene.root();
      return () => root.call('DELETE', `/app/admin/people/${person}/pin`);
    },
  },

  exchangeToken: {
    audit: 'link.opened',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      const app = await addApp(scene.world, scene.name('App'));
      const code = await consent(browser, app, linkScopes);
      return () => exchange(scene.world, app, code);
    },
  },
  revokeToken: {
    audit: 'link.ended',
    events: ['link.ended'],
    async arrange(scene) {
      const { app, tokens } = await scene.linked();
      return () => post(scene.world, '/oauth/revoke', app, { token: tokens.access_token });
    },
  },

  setUp: {
    audits: ['company.added', 'person.added', 'password.set'],
    events: ['user.created'],
    because: 'an installation begins with a company and its first super admin',
    async arrange({ emptyWorld }) {
      return () =>
        createBrowser(emptyWorld.url).call('POST', '/app/set-up', {
          body: {
            token: emptyWorld.service.setUpLink!.split('#')[1]!,
            first_name: 'Maren',
            last_name: 'Claasen',
            email: 'maren@clockproof.example',
            password,
            company: { name: 'Westwerk KG', time_zone: 'Europe/Berlin', country: 'DE' },
          },
        });
    },
  },
  checkInvitation: {
    audits: [],
    because: 'looks only',
    async arrange(scene) {
      const { token } = await scene.invited();
      return () => createBrowser(scene.world.url).call('POST', '/app/invitation/check', { body: { token } });
    },
  },
  acceptInvitation: {
    audit: 'password.set',
    async arrange(scene) {
      const { token } = await scene.invited();
      return () => createBrowser(scene.world.url).call('POST', '/app/invitation/accept', { body: { token, password } });
    },
  },
  requestPasswordReset: {
    audits: [],
    because: 'the link it leads to has the entry, if the address is anybody’s',
    async arrange(scene) {
      const { email } = await scene.member();
      return () => createBrowser(scene.world.url).call('POST', '/app/password-reset', { body: { email } });
    },
  },
  checkPasswordReset: {
    audits: [],
    because: 'looks only',
    async arrange(scene) {
      const token = await resetTokenFor(scene);
      return () => createBrowser(scene.world.url).call('POST', '/app/password-reset/check', { body: { token } });
    },
  },
  resetPassword: {
    audit: 'password.set',
    async arrange(scene) {
      const token = await resetTokenFor(scene);
      return () =>
        createBrowser(scene.world.url).call('POST', '/app/password-reset/accept', { body: { token, password } });
    },
  },
  signIn: {
    audit: 'sign_in.password',
    async arrange(scene) {
      const { email } = await scene.member();
      return () => createBrowser(scene.world.url).call('POST', '/app/sign-in', { body: { email, password } });
    },
  },
  confirmSignIn: {
    audit: 'sign_in.completed',
    async arrange(scene) {
      const { email, person } = await scene.member();
      const browser = createBrowser(scene.world.url);
      await ensureSuccess(browser.call('POST', '/app/sign-in', { body: { email, password } }));
      return () =>
        browser.call('POST', '/app/sign-in/second-factor', { body: { code: codeOf(person, scene.world.now()) } });
    },
  },
  signOut: {
    audit: 'sign_in.ended',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      return () => browser.call('POST', '/app/sign-out');
    },
  },
  endOtherSessions: {
    audit: 'session.others_ended',
    async arrange(scene) {
      const { browser, person } = await scene.signedIn();
      await scene.world.as(person);
      return () => browser.call('DELETE', '/app/sessions');
    },
  },
  endSession: {
    audit: 'session.ended',
    async arrange(scene) {
      const { browser, person } = await scene.signedIn();
      await scene.world.as(person);
      const { body } = await ensureSuccess(browser.call('GET', '/app/sessions'));
      const { id } = (body['data'] as { id: string; current: boolean }[]).find((secret) => !secret.current)!;
      return () => browser.call('DELETE', `/app/sessions/${id}`);
    },
  },
  updateProfile: {
    audit: 'profile.changed',
    events: ['user.changed'],
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      return () => browser.call('PATCH', '/app/profile', { body: { language: 'de' } });
    },
  },
  changePassword: {
    audit: 'password.set',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      return () =>
        browser.call('PUT', '/app/password', {
          body: { current_password: password, new_password: 'four brave newts dance' },
        });
    },
  },
  enrolSecondFactor: {
    audits: [],
    because: 'a secret that nobody has confirmed is no factor',
    async arrange(scene) {
      const browser = await scene.withPassword();
      return () => browser.call('POST', '/app/second-factor/enrolment');
    },
  },
  confirmSecondFactor: {
    audits: ['second_factor.enrolled', 'recovery_codes.renewed', 'sign_in.completed'],
    because: 'the first proof of a factor brings recovery codes and is the second step of the sign-in',
    async arrange(scene) {
      const browser = await scene.withPassword();
      const { body } = await ensureSuccess(browser.call('POST', '/app/second-factor/enrolment'));
      const code = oneTimePassword(fromBase32(body['secret'] as string), stepAt(scene.world.now()));
      return () => browser.call('POST', '/app/second-factor/confirmation', { body: { code } });
    },
  },
  proveSecondFactor: {
    audits: [],
    because: 'proves who is there and changes nothing; refusals are audited',
    async arrange(scene) {
      const { browser, person } = await scene.signedIn();
      scene.world.advance(30_000);
      return () =>
        browser.call('POST', '/app/second-factor/proof', { body: { code: codeOf(person, scene.world.now()) } });
    },
  },
  renewRecoveryCodes: {
    audit: 'recovery_codes.renewed',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      return () => browser.call('POST', '/app/second-factor/recovery-codes');
    },
  },
  removeSecondFactor: {
    audit: 'second_factor.removed',
    async arrange(scene) {
      const { browser, person } = await scene.withPasskey();
      scene.world.advance(30_000);
      return () =>
        browser.call('POST', '/app/second-factor/removal', {
          body: { password, code: codeOf(person, scene.world.now()) },
        });
    },
  },
  beginPasskey: {
    audits: [],
    because: 'a challenge that nobody has answered',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      return () => browser.call('POST', '/app/second-factor/passkeys/creation');
    },
  },
  addPasskey: {
    audit: 'passkey.added',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      const { body } = await ensureSuccess(browser.call('POST', '/app/second-factor/passkeys/creation'));
      const credential = createAuthenticator(scene.name('Key')).create(body['public_key'] as CreationOptions);
      return () => browser.call('POST', '/app/second-factor/passkeys', { body: { name: 'Key', credential } });
    },
  },
  requestPasskey: {
    audits: [],
    because: 'a challenge that nobody has answered',
    async arrange(scene) {
      const { browser } = await scene.withPasskey();
      return () => browser.call('POST', '/app/second-factor/passkeys/request');
    },
  },
  renamePasskey: {
    audit: 'passkey.renamed',
    async arrange(scene) {
      const { browser, passkey } = await scene.withPasskey();
      return () => browser.call('PATCH', `/app/second-factor/passkeys/${passkey}`, { body: { name: 'Blue key' } });
    },
  },
  removePasskey: {
    audit: 'passkey.removed',
    async arrange(scene) {
      const { browser, passkey } = await scene.withPasskey();
      return () => browser.call('POST', `/app/second-factor/passkeys/${passkey}/removal`, { body: { password } });
    },
  },
  endLinkedApp: {
    audit: 'link.ended',
    events: ['link.ended'],
    async arrange(scene) {
      const { browser, link: id } = await scene.linked();
      return () => browser.call('DELETE', `/app/linked-apps/${id}`);
    },
  },
  decideConsent: {
    audit: 'link.consented',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      const id = await ask(browser, await addApp(scene.world, scene.name('App')));
      await ensureSuccess(browser.call('GET', `/app/consent/${id}`));
      return () => decide(browser, id, linkScopes);
    },
  },

  clockMyselfIn: { audit: 'clock.in', events: ['clock.in'], arrange: stampMyself('in') },
  startMyBreak: { audit: 'clock.break_start', events: ['clock.break_start'], arrange: stampMyself('break/start') },
  endMyBreak: { audit: 'clock.break_end', events: ['clock.break_end'], arrange: stampMyself('break/end') },
  clockMyselfOut: { audit: 'clock.out', events: ['clock.out'], arrange: stampMyself('out') },
  requestCorrection: {
    audit: 'correction.requested',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      return () => browser.call('POST', '/app/me/corrections', { body: work });
    },
  },
  withdrawCorrection: {
    audit: 'correction.withdrawn',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      const { body } = await ensureSuccess(browser.call('POST', '/app/me/corrections', { body: work }));
      return () => browser.call('POST', `/app/me/corrections/${body['id']}/withdrawal`);
    },
  },
  requestMyAbsence: {
    audit: 'absence.requested',
    events: ['leave.requested'],
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      return () => browser.call('POST', '/app/me/absences', { body: vacation });
    },
  },
  changeMyAbsence: {
    audit: 'absence.changed',
    events: ['leave.changed'],
    arrange: onOwnAbsence('PATCH', { end_date: '2027-03-03' }),
  },
  withdrawMyAbsence: { audit: 'absence.withdrawn', events: ['leave.withdrawn'], arrange: onOwnAbsence('DELETE') },
  previewMyAbsence: {
    audits: [],
    because: 'shows what a request would come to',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      return () => browser.call('POST', '/app/me/absence-preview', { body: vacation });
    },
  },
  approveRequest: { audit: 'absence.approved', events: ['leave.approved'], arrange: onRequest('approve') },
  rejectRequest: { audit: 'absence.rejected', events: ['leave.rejected'], arrange: onRequest('reject') },
  decideRequests: {
    audit: 'absence.approved',
    events: ['leave.approved'],
    async arrange(scene) {
      const { root, id } = await onWaitingRequest(scene);
      return () => root.call('POST', '/app/approvals/decisions', { body: { ids: [id], outcome: 'approved' } });
    },
  },
  takeUnresolvedStamp: {
    audit: 'offline_stamp.taken',
    events: ['time_entry.changed'],
    async arrange(scene) {
      const { root, id } = await onUnresolvedStamp(scene);
      const body = { user_id: scene.world.people.ada };
      return () => root.call('POST', `/app/unresolved-stamps/${id}/take`, { body });
    },
  },
  rejectUnresolvedStamps: {
    audit: 'offline_stamp.rejected',
    async arrange(scene) {
      const { root, id } = await onUnresolvedStamp(scene);
      return () => root.call('POST', '/app/unresolved-stamps/reject', { body: { ids: [id], comment: 'No badge' } });
    },
  },
  correctEntry: {
    audit: 'entry.corrected',
    events: ['time_entry.changed'],
    async arrange(scene) {
      const { person } = await scene.employee();
      const root = await scene.root();
      return () => root.call('POST', `/app/people/${person}/corrections`, { body: work });
    },
  },
  correctEntries: {
    audit: 'entry.corrected',
    events: ['time_entry.changed'],
    async arrange(scene) {
      const { person } = await scene.employee();
      const root = await scene.root();
      const { reason, ...times } = work;
      return () =>
        root.call('POST', '/app/corrections', { body: { reason, corrections: [{ user_id: person, ...times }] } });
    },
  },
  previewCorrections: {
    audits: [],
    because: 'shows what corrections would come to',
    async arrange(scene) {
      const { person } = await scene.employee();
      const root = await scene.root();
      const { reason: _, ...times } = work;
      return () =>
        root.call('POST', '/app/corrections/preview', { body: { corrections: [{ user_id: person, ...times }] } });
    },
  },
  undoCorrections: {
    audit: 'entry.struck_out',
    events: ['time_entry.changed'],
    async arrange(scene) {
      const { person } = await scene.employee();
      const root = await scene.root();
      const correction = await root.call('POST', `/app/people/${person}/corrections`, { body: work });
      return () => root.call('POST', '/app/corrections/undo', { body: { correction_ids: [correction.body.id] } });
    },
  },
  changeAbsenceOfPerson: {
    audit: 'absence.changed',
    events: ['leave.changed'],
    arrange: onAbsenceOf('PATCH', { end_date: '2027-03-01' }),
  },
  cancelAbsenceOfPerson: {
    audit: 'absence.cancelled',
    events: ['leave.cancelled'],
    arrange: onAbsenceOf('DELETE'),
  },
  recordAbsence: {
    audit: 'absence.requested',
    events: ['leave.approved'],
    async arrange(scene) {
      const { person } = await scene.employee();
      const root = await scene.root();
      return () => root.call('POST', `/app/people/${person}/absences`, { body: vacation });
    },
  },

  createCompany: {
    audit: 'company.added',
    async arrange(scene) {
      const root = await scene.root();
      const body = { name: scene.name('Company'), time_zone: 'Europe/Berlin', country: 'DE' };
      return () => root.call('POST', '/app/admin/companies', { body });
    },
  },
  updateCompany: { audit: 'company.changed', arrange: onCompany('PATCH', '', { time_zone: 'Europe/Vienna' }) },
  createDepartment: { audit: 'department.added', arrange: onCompany('POST', '/departments', { name: 'Workshop' }) },
  renameDepartment: {
    audit: 'department.renamed',
    arrange: onCompany('PATCH', '/departments/{department}', { name: 'Workshop' }),
  },
  deleteDepartment: { audit: 'department.removed', arrange: onCompany('DELETE', '/departments/{department}') },
  createAbsenceType: {
    audit: 'absence_type.saved',
    arrange: onCompany('POST', '/absence-types', {
      key: 'sabbatical',
      label: 'Sabbatical',
      half_day: false,
      requires_approval: true,
      counts_as_vacation: false,
      away: true,
    }),
  },
  updateAbsenceType: {
    audit: 'absence_type.saved',
    arrange: onCompany('PATCH', '/absence-types/vacation', { label: 'Holiday' }),
  },
  deleteAbsenceType: {
    audit: 'absence_type.deleted',
    arrange: onCompany('DELETE', '/absence-types/sabbatical', undefined, (root, company) =>
      ensureSuccess(
        root.call('POST', `/app/admin/companies/${company}/absence-types`, {
          body: {
            key: 'sabbatical',
            label: 'Sabbatical',
            half_day: false,
            requires_approval: true,
            counts_as_vacation: false,
            away: true,
          },
        }),
      ),
    ),
  },
  closeMonth: {
    audit: 'month.closed',
    events: ['commitment.made', 'month.closed'],
    arrange: onTrackedOctober('/close'),
  },
  reopenMonth: {
    audit: 'month.reopened',
    events: ['month.reopened'],
    arrange: onTrackedOctober('/reopen', { reason: 'Late shift' }, (root, path) => root.call('POST', `${path}/close`)),
  },
  createProofLink: {
    audit: 'proof.link_created',
    async arrange(scene) {
      const { root, person } = await arrangeLeaver(scene);
      return () => root.call('POST', `/app/admin/people/${person}/proof-link`);
    },
  },
  checkProofLink: {
    audits: [],
    because: 'looks only',
    async arrange(scene) {
      const token = await proofTokenFor(scene);
      return () => createBrowser(scene.world.url).call('POST', '/app/proof-link/check', { body: { token } });
    },
  },
  downloadLinkedProof: {
    audits: [],
    because: 'downloads what the link was made for',
    async arrange(scene) {
      const body = { token: await proofTokenFor(scene), period: '2026-10' };
      return () => createBrowser(scene.world.url).call('POST', '/app/proof-link/file', { body });
    },
  },
  handOutProof: {
    audit: 'proof.handed_out',
    async arrange(scene) {
      const { root, person } = await closedOctober(scene);
      return () => root.call('POST', `/app/admin/people/${person}/proofs/2026-10`);
    },
  },
  claimCommitment: { audit: 'commitment.claimed', arrange: onCommitment('claims', { seconds: 180 }) },
  reportAnchor: {
    audit: 'commitment.reported',
    events: ['commitment.anchored'],
    arrange: onCommitment('anchors', anchor),
  },
  signOffSheet: {
    audit: 'sheet.signed_off',
    async arrange(scene) {
      const { browser, person } = await scene.signedIn();
      const path = `/app/people/${person}/sheets/2026-10`;
      const { digest } = (await ensureSuccess(browser.call('GET', path))).body;
      return () => browser.call('POST', `${path}/sign-offs`, { body: { digest } });
    },
  },
  previewPeopleImport: {
    audits: [],
    because: 'looks only',
    arrange: onCompany('POST', '/people-import/preview', { csv: 'first_name,last_name,employment_start\n1,2,3' }),
  },
  importPeople: {
    audits: ['department.added', 'person.added'],
    events: ['user.created'],
    because: 'the department of the new person is new as well',
    arrange: onCompany('POST', '/people-import', {
      csv: 'first_name,last_name,employment_start,department\nEva,Neu,2026-12-01,Packing',
      create_departments: true,
    }),
  },
  invitePeople: {
    audit: 'person.invited',
    async arrange(scene) {
      const { company, person } = await scene.employee();
      const root = await scene.root();
      return () => root.call('POST', `/app/admin/companies/${company}/invitations`, { body: { user_ids: [person] } });
    },
  },
  createPerson: {
    audit: 'person.added',
    events: ['user.created'],
    async arrange(scene) {
      const root = await scene.root();
      const { company } = await scene.company();
      const body = { company_id: company, first_name: 'Nele', last_name: 'Neu', employment_start: '2026-01-01' };
      return () => root.call('POST', '/app/admin/people', { body });
    },
  },
  updatePerson: {
    audit: 'person.changed',
    events: ['user.changed'],
    arrange: onPerson('PATCH', '', { last_name: 'Other' }),
  },
  deactivatePerson: {
    audit: 'person.deactivated',
    events: ['user.deactivated'],
    arrange: onPerson('POST', '/deactivation', { employment_end: '2026-11-20' }),
  },
  previewEmploymentEnd: {
    audits: [],
    because: 'shows what a last day would come to',
    arrange: onPerson('POST', '/employment-end-preview', { employment_end: '2026-11-20', deactivate: true }),
  },
  reactivatePerson: {
    audit: 'person.reactivated',
    events: ['user.changed'],
    arrange: onPerson('POST', '/reactivation', undefined, async (root, person) => {
      await ensureSuccess(
        root.call('POST', `/app/admin/people/${person}/deactivation`, { body: { employment_end: '2026-11-20' } }),
      );
    }),
  },
  erasePerson: {
    audit: 'person.erased',
    events: ['user.removed'],
    arrange: onPerson('POST', '/erasure', { confirm_name: 'Eva Member' }, async (root, person) => {
      await ensureSuccess(
        root.call('POST', `/app/admin/people/${person}/deactivation`, { body: { employment_end: '2026-11-20' } }),
      );
    }),
  },
  invitePerson: { audit: 'person.invited', arrange: onPerson('POST', '/invitation') },
  resetSecondFactor: {
    audits: ['second_factor.removed', 'person.invited'],
    because: 'only its new link leads back in',
    async arrange(scene) {
      const { person } = await scene.member();
      const root = await scene.root();
      return () => root.call('DELETE', `/app/admin/people/${person}/second-factor`);
    },
  },
  unlinkCompanySignIn: {
    audit: 'sign_in.unlinked',
    async arrange(scene) {
      const { person, company } = await scene.member();
      const root = await scene.root();
      await scene.world.db.write((tx) =>
        tx.run(
          `INSERT INTO provider_subjects (company_id, issuer, subject, person_id, created_at)
           VALUES (:company, 'https://login.example', 'sub', :person, 0)`,
          { company, person },
        ),
      );
      return () => root.call('DELETE', `/app/admin/people/${person}/company-sign-in`);
    },
  },
  setRoles: {
    audit: 'person.roles_changed',
    events: ['user.changed'],
    arrange: onPerson('PUT', '/roles', (_, company) => ({ roles: [{ role: 'approver', company_id: company }] })),
  },
  addHoliday: {
    audit: 'holiday.added',
    arrange: onCompany('POST', '/holidays', { date: '2026-12-24', kind: 'half_day', name_en: 'Christmas Eve' }),
  },
  changeHoliday: {
    audit: 'holiday.changed',
    arrange: onCompany('PATCH', '/holidays/{record_id}', { date: '2026-12-23' }, addHoliday),
  },
  removeHoliday: {
    audit: 'holiday.removed',
    arrange: onCompany('DELETE', '/holidays/{record_id}', undefined, addHoliday),
  },
  addCompanySchedule: { audit: 'schedule.set', arrange: onCompany('POST', '/schedules', weekFrom('2026-12-01')) },
  removeCompanySchedule: {
    audit: 'schedule.removed',
    arrange: onCompany('DELETE', '/schedules/{record_id}', undefined, async (root, company) => {
      const path = `/app/admin/companies/${company}/schedules`;
      return (await ensureSuccess(root.call('POST', path, { body: weekFrom('2026-12-01') }))).body['id'] as string;
    }),
  },
  addSchedule: { audit: 'schedule.set', arrange: onPerson('POST', '/schedules', weekFrom('2026-12-01')) },
  removeSchedule: {
    audit: 'schedule.removed',
    arrange: onPerson('DELETE', '/schedules/{record_id}', undefined, async (root, person) => {
      const path = `/app/admin/people/${person}/schedules`;
      return (await ensureSuccess(root.call('POST', path, { body: weekFrom('2026-12-01') }))).body['id'] as string;
    }),
  },
  addSpecialRule: {
    audit: 'special_rule.set',
    arrange: onPerson('POST', '/special-rules', { kind: 'young', valid_from: '2026-12-01' }),
  },
  removeSpecialRule: {
    audit: 'special_rule.removed',
    arrange: onPerson('DELETE', '/special-rules/{record_id}', undefined, async (root, person) => {
      const path = `/app/admin/people/${person}/special-rules`;
      const body = { kind: 'minijob', valid_from: '2026-12-01' };
      return (await ensureSuccess(root.call('POST', path, { body }))).body['id'] as string;
    }),
  },
  setEntitlement: {
    audit: 'entitlement.set',
    arrange: onPerson('PUT', '/entitlements/2026', { days: 30, carried_over_days: 2 }),
  },
  bookVacation: {
    audit: 'vacation.booked',
    events: ['vacation.booked'],
    arrange: onPerson('POST', '/vacation-bookings', {
      kind: 'payout',
      days: -2,
      date: '2026-11-20',
      reason: 'End of employment',
    }),
  },
  bookTime: {
    audit: 'time.booked',
    arrange: onPerson('POST', '/time-bookings', bookedTime),
  },
  cancelTimeBooking: {
    audit: 'time.booking_cancelled',
    arrange: onPerson(
      'POST',
      '/time-bookings/{record_id}/cancellation',
      { date: '2026-11-23', reason: 'Twice' },
      async (root, person) => {
        const path = `/app/admin/people/${person}/time-bookings`;
        return String((await ensureSuccess(root.call('POST', path, { body: bookedTime }))).body['id']);
      },
    ),
  },
  setFlexitimeLimits: {
    audit: 'flexitime_limits.set',
    arrange: onCompany('PUT', '/flexitime-limits', { upper_minutes: 2400, at_upper: 'cut' }),
  },
  setFlexitimeLimitsOfPerson: {
    audit: 'flexitime_limits.set',
    arrange: onPerson('PUT', '/flexitime-limits', { lower_minutes: -600 }),
  },
  nameSubstitute: { audit: 'substitute.named', arrange: onSubstitutes(false) },
  removeSubstitute: { audit: 'substitute.removed', arrange: onSubstitutes(true) },
  setApprovalRule: {
    audit: 'approval_rule.set',
    arrange: onPerson('PUT', '/approval-rule', { approval: 'always' }),
  },
  setVacationPolicy: {
    audit: 'vacation_policy.set',
    arrange: onCompany('PUT', '/vacation-policy', { days: 28, carry_over_until: '03-31' }),
  },
  switchEvaluation: {
    audit: 'evaluation.switched',
    arrange: onCompany('PUT', '/evaluations/findings', { enabled: false }),
  },
  setPayrollSettings: {
    audit: 'payroll_settings.set',
    arrange: onCompany('PUT', '/payroll', {
      wage_types: [{ code: '1000', name: 'Hours worked', counts: 'work' }],
      columns: ['personnel_number', 'hours'],
    }),
  },
  previewVacationCarryOver: {
    audits: [],
    because: 'looks only',
    arrange: onCompany('POST', '/vacation-carry-over/preview', { from_year: 2026 }),
  },
  previewEntitlements: {
    audits: [],
    because: 'looks only',
    arrange: onCompany('POST', '/entitlements/preview', { year: 2027, days: 30 }),
  },
  setEntitlements: {
    audit: 'entitlement.set',
    async arrange(scene) {
      const { company, person } = await scene.employee();
      const root = await scene.root();
      const body = { year: 2027, days: 29, user_ids: [person] };
      return () => root.call('POST', `/app/admin/companies/${company}/entitlements`, { body });
    },
  },
  carryOverVacation: {
    audit: 'entitlement.set',
    async arrange(scene) {
      const { company, person } = await scene.employee();
      const root = await scene.root();
      const days = { days: 30, carried_over_days: 2 };
      await ensureSuccess(root.call('PUT', `/app/admin/people/${person}/entitlements/2026`, { body: days }));
      const path = `/app/admin/companies/${company}/vacation-carry-over`;
      return () => root.call('POST', path, { body: { from_year: 2026 } });
    },
  },
  setOpeningBalance: {
    audit: 'person.changed',
    events: ['user.changed'],
    arrange: onPerson('PUT', '/opening-balance', { date: '2026-11-01', balance_minutes: 90 }),
  },

  createExtension: {
    audit: 'extension.added',
    async arrange(scene) {
      const root = await scene.root();
      const body = { name: scene.name('Roster'), mode: 'api', scopes: ['read:users'], acting: 'personal_link' };
      return () => root.call('POST', '/app/admin/extensions', { body });
    },
  },
  updateExtension: {
    audit: 'extension.changed',
    arrange: onExtension('PATCH', '', { body: { description: 'Plans shifts' } }),
  },
  deleteExtension: { audit: 'extension.deleted', arrange: onExtension('DELETE', '') },
  rotateKey: { audit: 'extension.key_rotated', arrange: onExtension('POST', '/key', { body: {} }) },
  endPreviousKey: {
    audit: 'extension.previous_key_ended',
    arrange: onExtension('DELETE', '/previous-key', {
      prepare: (root, path) => ensureSuccess(root.call('POST', `${path}/key`, { body: {} })),
    }),
  },
  rotateWebhookSecret: {
    audit: 'extension.webhook_secret_rotated',
    arrange: onExtension('POST', '/webhook-secret', {
      more: { mode: 'webhooks', webhook_url: 'https://hooks.example/' },
    }),
  },
  pingExtension: {
    audit: 'extension.pinged',
    async arrange(scene) {
      const receiver = await scene.receiver();
      return onExtension('POST', '/ping', {
        more: { mode: 'webhooks', webhook_url: `http://127.0.0.1:${receiver.port}/` },
      })(scene);
    },
  },
  resendDelivery: {
    audit: 'extension.delivery_resent',
    async arrange(scene) {
      const receiver = await scene.receiver();
      const { extension, key, person } = await scene.withKey({
        mode: 'webhooks',
        webhook_url: `http://127.0.0.1:${receiver.port}/`,
      });
      await ensureSuccess(scene.world.call('POST', '/api/v1/clock/in', { key, body: { user_id: person } }));
      await scene.world.deliver();
      const root = await scene.root();
      const path = `/app/admin/extensions/${extension}/deliveries`;
      const { body } = await root.call('GET', path);
      const [delivery] = body['data'] as { event_id: string }[];
      return () => root.call('POST', `${path}/${delivery!.event_id}/resend`);
    },
  },
  recoverDeliveries: {
    audit: 'extension.deliveries_recovered',
    arrange: onExtension('POST', '/recovery', {
      body: { since: '2026-11-22T00:00:00Z' },
      more: { mode: 'webhooks', webhook_url: 'https://hooks.example/' },
    }),
  },
  endExtensionLink: {
    audit: 'link.ended',
    events: ['link.ended'],
    async arrange(scene) {
      const { app, link: id } = await scene.linked();
      const root = await scene.root();
      return () => root.call('DELETE', `/app/admin/extensions/${app.id}/links/${id}`);
    },
  },
  setMailChoices: {
    audit: 'profile.changed',
    async arrange(scene) {
      const { browser } = await scene.signedIn();
      const body = { kinds: [{ kind: 'pin_reset', mail: false }] };
      return () => browser.call('PUT', '/app/notices/mail', { body });
    },
  },
  readNotices: {
    audits: [],
    because: 'a person has read a notice',
    async arrange(scene) {
      const { browser, person } = await scene.signedIn();
      const facts = { kind: 'webhooks_disabled', extension: 'ext_1', because: 'gone' } as const;
      await scene.world.service.store.write({ actor: { kind: 'system' }, at: scene.world.now() }, async (write) => {
        write.unaudited('progress');
        await notify(write, [person], facts);
      });
      const [notice] = (await browser.call('GET', '/app/notices')).body['data'] as { id: number }[];
      return () => browser.call('POST', '/app/notices/read', { body: { ids: [notice!.id] } });
    },
  },
  updateAccess: {
    audit: 'people_access.switched',
    async arrange(scene) {
      const root = await scene.root();
      await ensureSuccess(root.call('PATCH', '/app/admin/access', { body: { terminals: false } }));
      return () => root.call('PATCH', '/app/admin/access', { body: { terminals: true } });
    },
  },
} satisfies Record<WritingOperationId, Operation>;

function weekFrom(day: string): object {
  const minutes = Object.fromEntries(
    ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((name) => [name, 300]),
  );
  return { valid_from: day, minutes };
}

/**
 * The members of details that depend on what happened, in order of the alphabet. All others follow from the type,
 * `AuditDetails`.
 */
const detailsOf: Readonly<Partial<Record<AuditAction, string | readonly string[]>>> = {
  'absence.approved': 'from person status',
  'absence.cancelled': 'from person status',
  'absence.changed': 'changed person status',
  'absence.rejected': 'from person status',
  'absence.requested': 'person status',
  'absence.withdrawn': 'from person status',
  'badge.blocked': 'person',
  'badge.returned': 'person',
  'badge.unblocked': 'person',
  'clock.in': ['entry', 'entry proof'],
  'company.sign_in_set':
    'client_id creates_people email_domains enabled ended_bindings ended_sessions issuer secret_changed trusts_auth_time',
  'correction.requested': 'correction',
  'extension.added':
    'absences_count_as_approved acting key_reads link_lifetime_days linking mode name redirect_uris scopes',
  'flexitime_limits.set': ['at_upper lower_minutes upper_minutes', 'changed'],
  'link.opened': 'expires_at extension scopes',
  'passkey.removed': 'passkey',
  'person.erased': '',
  'profile.changed': 'changed',
  'substitute.named': 'changed person',
  'substitute.removed': 'changed person',
  'terminal.changed': 'badge_and_pin',
};

/**
 * Members of entries about people: the log keeps them when the person is erased, so they are ids, kinds and steps.
 * Values go through `keepValues`.
 */
const staysWithTheLog = new Set<string>(
  // `before` and `after`: roles, and the counter of a passkey. `from`: a status.
  (
    'action after because before booking cancels changed correction created ended entry expires_at extension from issuer ' +
    'month number passkey period person proof reason revision role scopes session special_rule stamp state status terminal tx'
  ).split(' '),
);

/** What a caller needs, by how they show it. Without any, a password, a link or a code in the body says who it is. */
function rightOf(id: WritingOperationId): Right | undefined {
  const [[scheme] = []] = { ...operations, ...appOperations }[id].security as readonly (readonly string[])[];
  if (scheme === undefined) return undefined;
  return scheme === 'session' ? 'sessions' : scheme === 'terminalSignature' ? 'terminals' : 'api_keys';
}

/** Nothing is written, so nothing is refused to those who were allowed to ask. */
const onlyReads = new Set<WritingOperationId>([
  'previewCorrections',
  'previewEntitlements',
  'previewPeopleImport',
  'previewVacationCarryOver',
]);

const membersOf = (details: string | null) =>
  Object.keys(details === null ? {} : (JSON.parse(details) as object))
    .sort()
    .join(' ');

/** @throws Error the answer is a refusal */
async function ensureSuccess(call: Promise<Answer>): Promise<Answer> {
  const answer = await call;
  if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

interface Employee {
  readonly company: number;
  readonly person: number;
  readonly email: string;
}

/** What operations need, new for each of them. */
interface Scene {
  readonly world: World;
  /** Nobody can sign in to it yet. */
  readonly emptyWorld: World;
  /** A name that was not used before. */
  name(kind: string): string;
  readonly provider: ToldProvider;
  providerSettings(): Promise<object>;
  /** Nord signs in at the provider. */
  companySignIn(): Promise<void>;
  /** A super admin who has just signed in. */
  root(): Promise<Browser>;
  company(): Promise<{ readonly company: number; readonly department: number }>;
  /** Somebody of a new company who cannot sign in. */
  employee(): Promise<Employee>;
  /** … who can. */
  member(): Promise<Employee>;
  signedIn(): Promise<Employee & { readonly browser: Browser }>;
  invited(): Promise<{ readonly token: string }>;
  /** Signed in with a password, with no second factor. */
  withPassword(): Promise<Browser>;
  withPasskey(): Promise<Employee & { readonly browser: Browser; readonly passkey: string }>;
  linked(): Promise<{
    readonly browser: Browser;
    readonly app: Awaited<ReturnType<typeof addApp>>;
    readonly tokens: { readonly access_token: string };
    readonly link: string;
  }>;
  /** An extension that acts for everyone in a new company. */
  withKey(more?: object): Promise<{ readonly extension: string; readonly key: string; readonly person: number }>;
  /** @returns the id of the badge too */
  atDoor(): Promise<{
    readonly door: Door;
    readonly card: Awaited<ReturnType<typeof issueBadge>>;
    readonly badge: string;
  }>;
  receiver(): Promise<Receiver>;
}

describe.each(dialects)('writing operations on %s', (dialect) => {
  let world: World;
  let emptyWorld: World;
  let provider: ToldProvider;
  let rootId: number;
  let count = 0;
  const receivers: Receiver[] = [];
  beforeAll(async () => {
    world = await createWorld(dialect, {
      env: {
        WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
        // Nothing is sent: no test asks for it.
        SMTP_URL: 'smtp://127.0.0.1:1',
        MAIL_FROM: 'time@clockproof.example',
      },
    });
    emptyWorld = await createWorld(dialect);
    provider = await startToldProvider(() => world.now());
    rootId = await addSuperAdmin(world);
  });
  afterAll(async () => {
    for (const receiver of receivers) await receiver.close();
    await world.close();
    await emptyWorld.close();
    await provider.close();
  });

  const name = (kind: string) => `${kind} ${++count}`;
  const scene = (): Scene => ({
    world,
    emptyWorld,
    name,
    provider,
    async providerSettings() {
      return {
        enabled: true,
        address: 'nord',
        issuer: provider.issuer,
        client_id: 'clockproof',
        client_secret: 'of-the-tests',
        email_domains: ['clockproof.example'],
        role_values: [],
        creates_people: false,
        trusts_auth_time: false,
      };
    },
    async companySignIn() {
      const body = await this.providerSettings();
      await ensureSuccess((await this.root()).call('PUT', `/app/admin/companies/${world.nord}/sign-in`, { body }));
    },
    root: () => world.as(rootId),
    async company() {
      const root = await this.root();
      const body = { name: name('Company'), time_zone: 'Europe/Berlin', country: 'DE' };
      const company = (await ensureSuccess(root.call('POST', '/app/admin/companies', { body }))).body['id'] as number;
      const path = `/app/admin/companies/${company}/departments`;
      const department = (await ensureSuccess(root.call('POST', path, { body: { name: 'Office' } }))).body[
        'id'
      ] as number;
      return { company, department };
    },
    async employee() {
      const { company } = await this.company();
      const email = `eva${++count}@clockproof.example`;
      const { body } = await ensureSuccess(
        (await this.root()).call('POST', '/app/admin/people', {
          body: {
            company_id: company,
            first_name: 'Eva',
            last_name: 'Member',
            email,
            language: 'en',
            employment_start: '2026-01-01',
          },
        }),
      );
      return { company, person: body['id'] as number, email };
    },
    async member() {
      const employee = await this.employee();
      await giveCredentials(world, [employee.person], await factorKeysOf(world, dataKey));
      return employee;
    },
    async signedIn() {
      const member = await this.member();
      return { ...member, browser: await world.as(member.person) };
    },
    async invited() {
      const { person } = await this.employee();
      const { body } = await ensureSuccess((await this.root()).call('POST', `/app/admin/people/${person}/invitation`));
      return { token: (body['url'] as string).split('#')[1]! };
    },
    async withPassword() {
      const { token } = await this.invited();
      const browser = createBrowser(world.url);
      await ensureSuccess(browser.call('POST', '/app/invitation/accept', { body: { token, password } }));
      return browser;
    },
    async withPasskey() {
      const member = await this.signedIn();
      const { browser } = member;
      const creation = await ensureSuccess(browser.call('POST', '/app/second-factor/passkeys/creation'));
      const credential = createAuthenticator(name('Key')).create(
        creation.body['public_key'] as CreationOptions & RequestOptions,
      );
      await ensureSuccess(browser.call('POST', '/app/second-factor/passkeys', { body: { name: 'Key', credential } }));
      const { body } = await ensureSuccess(browser.call('GET', '/app/second-factor/passkeys'));
      return { ...member, passkey: (body['data'] as [{ id: string }])[0].id };
    },
    async linked() {
      const { browser, person } = await this.signedIn();
      const app = await addApp(world, name('App'));
      const tokens = await link(world, app, person, linkScopes, browser);
      const { body } = await ensureSuccess(browser.call('GET', '/app/linked-apps'));
      return { browser, app, tokens, link: (body['data'] as [{ id: string }])[0].id };
    },
    async withKey(more = {}) {
      const { company, person } = await this.employee();
      const { body } = await ensureSuccess(
        (await this.root()).call('POST', '/app/admin/extensions', {
          body: {
            name: name('Planner'),
            mode: 'api',
            scopes: allScopes,
            acting: 'everyone',
            company_id: company,
            ...more,
          },
        }),
      );
      return { extension: (body['extension'] as { id: string }).id, key: body['key'] as string, person };
    },
    async atDoor() {
      const door = await openDoor(world, name('door'));
      const person = await world.hire({ firstName: 'Dora', lastName: 'Door', employmentStart: '2026-01-01' });
      const card = await issueBadge(world, door, person, `04${String(++count).padStart(12, '0')}`);
      const row = await world.db.get<{ id: string }>('SELECT id FROM badges WHERE person_id = :person', { person });
      return { door, card, badge: row!.id };
    },
    async receiver() {
      const receiver = await startReceiver();
      receivers.push(receiver);
      return receiver;
    },
  });

  const endOf = async ({ db }: World) =>
    (await db.get<{ audits: number; events: number }>(
      `SELECT (SELECT COALESCE(MAX(sequence), 0) FROM audit_entries) AS audits,
        (SELECT COALESCE(MAX(sequence), 0) FROM events) AS events`,
    ))!;
  const appendedAfter = async ({ db }: World, end: { readonly audits: number; readonly events: number }) => ({
    audits: await db.all<{ action: AuditAction; subject: string | null; details: string | null }>(
      'SELECT action, subject, details FROM audit_entries WHERE sequence > :audits ORDER BY sequence',
      { audits: end.audits },
    ),
    events: (
      await db.all<{ type: string }>('SELECT type FROM events WHERE sequence > :events ORDER BY sequence', {
        events: end.events,
      })
    ).map(({ type }) => type),
  });

  it('the writing operations are all of both documents', () => {
    const tableIds = new Set<string>(Object.keys(table));
    const writingOperations = [...Object.entries(operations), ...Object.entries(appOperations)].filter(
      ([, { method }]) => method !== 'get',
    );
    expect(Object.keys(table).filter((id) => !writingOperations.some(([name]) => name === id))).toEqual([]);
    expect(tableIds.size).toBeGreaterThan(70);
  });

  it.each(Object.entries(table) as [WritingOperationId, Operation][])(
    '%s appends its event once',
    async (id, operation) => {
      const call = await operation.arrange(scene());
      const target = id === 'setUp' ? emptyWorld : world;
      const end = await endOf(target);
      const right = onlyReads.has(id) ? undefined : rightOf(id);
      for (const moment of right === undefined ? [] : momentsOn(dialect)) {
        const refusal = await callWithLostRight(world, { right: right!, moment }, call);
        expect([id, moment, refusal.status, await appendedAfter(target, end)]).toEqual([
          id,
          moment,
          401,
          { audits: [], events: [] },
        ]);
      }
      const answer = await call();
      expect([id, answer.status < 300 ? 'done' : answer]).toEqual([id, 'done']);
      const { audits, events } = await appendedAfter(target, end);
      const expectedActions = 'audit' in operation ? [operation.audit] : operation.audits;
      expect([id, audits.map(({ action }) => action)]).toEqual([id, expectedActions]);
      for (const { action, subject, details } of audits) {
        const members = membersOf(details);
        if (detailsOf[action] !== undefined)
          expect([action, [detailsOf[action]].flat()]).toEqual([action, expect.arrayContaining([members])]);
        const values = /^(company|extension|terminal|absence type|department|holiday|link) /.test(subject ?? 'company ')
          ? []
          : members.split(' ').filter((member) => member !== '' && !staysWithTheLog.has(member));
        expect([action, values]).toEqual([action, []]);
      }
      expect([id, events]).toEqual([id, operation.events ?? []]);
    },
  );
});
