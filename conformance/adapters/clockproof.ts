/** Fixtures through the pages of Clockproof, as the super admin of the target and as people who are invited. */
import { randomBytes } from 'node:crypto';
import type { Adapter, AdapterFactory, Invited, Session, ShownDelivery, ShownExtension } from '../kit/adapter.js';
import type { Answer, RequestContent } from '../kit/client.js';
import { at } from '../kit/json.js';
import { Breach, Refused } from '../kit/outcome.js';
import { Browser } from '../peers/browser.js';
import { stepAt, totp } from '../peers/totp.js';

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A browser of somebody with a password and a second factor. */
class SignedInBrowser extends Browser implements Invited {
  totpSecret = '';
  #lastStep = 0;
  #proving: Promise<void> | undefined;

  /** The service asks for the second factor again after fifteen minutes: then it is proved, and the request repeated. */
  override async call(method: string, path: string, request: RequestContent = {}): Promise<Answer> {
    const answer = await super.call(method, path, request);
    if (answer.status !== 403 || answer.get('code') !== 'second_factor_required' || this.totpSecret === '')
      return answer;
    this.#proving ??= this.#prove('/app/second-factor/proof').finally(() => {
      this.#proving = undefined;
    });
    await this.#proving;
    return super.call(method, path, request);
  }

  /** @throws Breach a step is refused */
  async signIn(email: string, password: string, totpSecret: string): Promise<void> {
    this.totpSecret = totpSecret;
    const first = await this.post('/app/sign-in', { email, password });
    if (first.status !== 200) throw new Breach(`the sign-in was refused: ${first.status} ${first.brief()}`);
    if (first.get('next') === 'second_factor') await this.#prove('/app/sign-in/second-factor');
  }

  /** Each code is accepted once: after a refusal the next thirty seconds are tried. */
  async #prove(path: string): Promise<void> {
    let answer: Answer | undefined;
    for (let tries = 0; tries < 4; tries++) {
      const step = Math.max(stepAt(Date.now()), this.#lastStep + 1);
      if (step > stepAt(Date.now()) + 1) await pause((step - 1) * 30_000 - Date.now());
      this.#lastStep = step;
      answer = await super.call('POST', path, { json: { code: totp(this.totpSecret, step) } });
      if (answer.status === 200) return;
    }
    throw new Breach(`the second factor was refused: ${answer?.status} ${answer?.brief()}`);
  }

  async accept(url: string, password: string): Promise<number> {
    const token = /[?#&/](?:token=)?([A-Za-z0-9_-]{16,})$/.exec(url)?.[1] ?? '';
    const acceptance = await this.post('/app/invitation/accept', { token, password });
    if (acceptance.status !== 200)
      throw new Breach(`the invitation was refused: ${acceptance.status} ${acceptance.brief()}`);
    const enrolment = (await this.post('/app/second-factor/enrolment')).is(200);
    this.totpSecret = enrolment.string('secret');
    const step = stepAt(Date.now());
    this.#lastStep = step;
    (await this.post('/app/second-factor/confirmation', { code: totp(this.totpSecret, step) })).is(200);
    return step;
  }
}

/** @throws Refused an answer 4xx with a code */
function expectSuccess(answer: Answer): Answer {
  if (answer.status < 400) return answer;
  const message = `${answer.request} was answered with ${answer.status} ${answer.brief()}`;
  const code = answer.get('code');
  if (answer.status < 500 && typeof code === 'string') throw new Refused(code, message);
  throw new Breach(message);
}

const extensionOf = (answer: Answer): ShownExtension => ({
  client_id: answer.get('client_id'),
  scopes: answer.list('scopes'),
  updated_at: answer.get('updated_at'),
  keys: answer.list('keys').length,
  delivery_state: answer.get('delivery.state'),
  last_delivered_at: answer.get('delivery.last_delivered_at'),
  last_used_at: answer.get('keys.0.last_used_at'),
  text: answer.text,
});

const day = 86_400_000;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** @throws Error the target names no super admin */
const clockproof: AdapterFactory = ({ super_admin: superAdmin }, { connect }) => {
  if (superAdmin === undefined) throw new Error('the target names no super_admin, whom this adapter signs in');
  let signedIn: Promise<SignedInBrowser> | undefined;
  const admin = (): Promise<SignedInBrowser> => {
    signedIn ??= (async () => {
      const browser = new SignedInBrowser(connect());
      await browser.signIn(superAdmin.email, superAdmin.password, superAdmin.totp_secret);
      return browser;
    })();
    signedIn.catch(() => {
      signedIn = undefined;
    });
    return signedIn;
  };
  const ask = async (method: string, path: string, json?: unknown): Promise<Answer> =>
    expectSuccess(await (await admin()).call(method, `/app/${path}`, json === undefined ? {} : { json }));
  const browserOf = (session: Session) => session as SignedInBrowser;
  const invite = async (personId: number) => (await ask('POST', `admin/people/${personId}/invitation`)).string('url');
  const extension = (id: string) => `admin/extensions/${id}`;
  const terminal = (id: string) => `admin/terminals/${id}`;

  const adapter: Adapter = {
    name: 'clockproof',
    pages: { newBrowser: () => new SignedInBrowser(connect()), browserOf, invite, superAdmin },

    async createCompany({ departments, ...company }) {
      const id = (await ask('POST', 'admin/companies', company)).number('id');
      const ids: number[] = [];
      for (const name of departments)
        ids.push((await ask('POST', `admin/companies/${id}/departments`, { name })).number('id'));
      return { id, departments: ids };
    },
    async setCompanyActive(id, active) {
      await ask('PATCH', `admin/companies/${id}`, { active });
    },
    async createDepartment(companyId, name) {
      await ask('POST', `admin/companies/${companyId}/departments`, { name });
    },
    async listAbsenceTypes(companyId) {
      return (await ask('GET', `admin/companies/${companyId}/absence-types`)).list('data');
    },
    async createAbsenceType(companyId, type) {
      await ask('POST', `admin/companies/${companyId}/absence-types`, type);
    },
    async closeMonth(companyId, month) {
      await ask('POST', `admin/companies/${companyId}/months/${month}/close`);
    },

    async createPerson({ tracked_from: date, ...person }) {
      const creation = await ask('POST', 'admin/people', person);
      const id = creation.number('id');
      if (date !== undefined) await ask('PUT', `admin/people/${id}/opening-balance`, { date, balance_minutes: 0 });
      return { id, name: creation.string('display_name'), email: creation.string('email') };
    },
    async changePerson(personId, members) {
      await ask('PATCH', `admin/people/${personId}`, members);
    },
    async erasePerson(personId, lastDay) {
      // The name may have changed since.
      const name = (await ask('GET', `admin/people/${personId}`)).string('display_name');
      await ask('POST', `admin/people/${personId}/deactivation`, { employment_end: lastDay });
      const reason = 'The requirement is over';
      await ask('POST', `admin/people/${personId}/erasure`, { confirm_name: name, reason });
    },
    async addEntry(personId, entry) {
      await ask('POST', `people/${personId}/corrections`, { ...entry, breaks: [] });
    },
    async addBooking(personId, booking) {
      await ask('POST', `admin/people/${personId}/time-bookings`, { kind: 'payout', ...booking });
    },
    async approveAbsence({ id, company_id: company, user_id: user }) {
      const path = `approvals?state=waiting&company_id=${company}&user_id=${user}`;
      const waiting = (await ask('GET', path)).list('data');
      const request = waiting.find((candidate) => at(candidate, 'absence.id') === id);
      if (request === undefined) throw new Breach('the approvers do not see the request');
      await ask('POST', `approvals/${String(at(request, 'id'))}/approve`, {});
      return { absence: at(request, 'absence'), person_id: at(request, 'person.id') };
    },
    async signIn(personId) {
      const browser = new SignedInBrowser(connect());
      await browser.accept(await invite(personId), `kit-${randomBytes(12).toString('base64url')}`);
      expectSuccess(await browser.put('/app/pin', { pin: '012345' }));
      return browser;
    },
    async listBadges(session) {
      const badges = expectSuccess(await browserOf(session).get('/app/me/badges')).list('data');
      return badges.map((badge) => ({
        works: at(badge, 'state') === 'active',
        issued_at: at(badge, 'issued_at_terminal'),
      }));
    },
    async blockBadges(session) {
      const browser = browserOf(session);
      for (const badge of expectSuccess(await browser.get('/app/me/badges')).list('data'))
        expectSuccess(await browser.post(`/app/me/badges/${String(at(badge, 'id'))}/block`, { lost: true }));
    },

    async authorize(session, path) {
      const headers = { 'sec-fetch-site': 'cross-site' };
      const answer = await browserOf(session).call('GET', path, { headers });
      const question = /(cns_[A-Za-z0-9]+)/.exec(answer.header('location') ?? '')?.[1];
      return question === undefined ? { answer } : { answer, question };
    },
    async showConsent(session, question) {
      const consent = expectSuccess(await browserOf(session).get(`/app/consent/${question}`));
      return {
        app_name: consent.get('extension.name'),
        scopes: consent.list('scopes').map((scope) => at(scope, 'scope')),
        lifetime_days: consent.get('lifetime_days'),
      };
    },
    async decideConsent(session, question, scopes) {
      const decision = scopes === 'declined' ? { decision: 'deny', scopes: [] } : { decision: 'allow', scopes };
      return expectSuccess(await browserOf(session).post(`/app/consent/${question}`, decision)).string('redirect_to');
    },
    async listLinks(session) {
      const linkedApps = expectSuccess(await browserOf(session).get('/app/linked-apps')).list('data');
      return linkedApps.map((link) => ({ id: at(link, 'id'), scopes: at(link, 'scopes') }));
    },
    async endLink(session, linkId) {
      expectSuccess(await browserOf(session).delete(`/app/linked-apps/${linkId}`));
    },

    async createExtension(settings) {
      const creation = await ask('POST', 'admin/extensions', settings);
      const secret = creation.get('webhook_secret');
      return {
        id: creation.string('extension.id'),
        client_id: creation.string('extension.client_id'),
        key: creation.string('key'),
        ...(typeof secret === 'string' ? { webhook_secret: secret } : {}),
      };
    },
    async changeExtension(id, settings) {
      return extensionOf(await ask('PATCH', extension(id), settings));
    },
    async removeExtension(id) {
      await ask('DELETE', extension(id));
    },
    async showExtension(id) {
      return extensionOf(await ask('GET', extension(id)));
    },
    async rotateKey(id) {
      return (await ask('POST', `${extension(id)}/key`, { overlap_hours: 1 })).string('key');
    },
    async endOldKey(id) {
      await ask('DELETE', `${extension(id)}/previous-key`);
    },
    async rotateSecret(id) {
      return (await ask('POST', `${extension(id)}/webhook-secret`)).string('webhook_secret');
    },
    async ping(id) {
      await ask('POST', `${extension(id)}/ping`);
    },
    async listDeliveries(id) {
      const deliveries = await ask('GET', `${extension(id)}/deliveries?state=delivered`);
      return deliveries.list('data') as readonly ShownDelivery[];
    },
    async resendDelivery(id, eventId) {
      await ask('POST', `${extension(id)}/deliveries/${eventId}/resend`);
    },
    async recoverDeliveries(id, since) {
      await ask('POST', `${extension(id)}/recovery`, { since });
    },

    async createTerminal(settings) {
      const creation = await ask('POST', 'admin/terminals', settings);
      return { id: creation.string('terminal.id'), code: creation.string('code') };
    },
    async renewPairingCode(id) {
      const renewal = await ask('POST', `${terminal(id)}/pairing-code`);
      return { code: renewal.string('code'), expires_at: renewal.string('expires_at') };
    },
    async showTerminal(id) {
      const terminalAnswer = await ask('GET', terminal(id));
      return {
        fingerprint: terminalAnswer.get('fingerprint'),
        offline_last_number: terminalAnswer.get('offline_last_number'),
      };
    },
    async confirmTerminal(id, fingerprint) {
      await ask('POST', `${terminal(id)}/confirmation`, { fingerprint });
    },
    async removeTerminal(id) {
      await ask('DELETE', terminal(id));
    },
    async startIssuing(id, personId) {
      await ask('POST', `${terminal(id)}/issuing`, { user_id: personId });
    },
    async endIssuing(id) {
      await ask('DELETE', `${terminal(id)}/issuing`);
    },
    async showIssuing(id) {
      const issuingAnswer = await ask('GET', `${terminal(id)}/issuing`);
      return { issued: issuingAnswer.get('state') === 'issued' || issuingAnswer.get('badge') !== undefined };
    },

    async readFeatures() {
      const answer = await (await admin()).get('/app/admin/access');
      // Where extensions are off altogether the switches are not there either.
      if (answer.status === 404) return {};
      return expectSuccess(answer).json as Awaited<ReturnType<NonNullable<Adapter['readFeatures']>>>;
    },
    async changeFeatures(features) {
      await ask('PATCH', 'admin/access', features);
    },
    async listAuditEntries({ action }) {
      // The days are those of the super admin, wherever that is.
      const days = `from=${dateOf(Date.now() - day)}&to=${dateOf(Date.now() + day)}`;
      const query = `${days}${action === undefined ? '' : `&action=${action}`}&limit=500`;
      return (await ask('GET', `admin/audit?${query}`)).list('data');
    },
  };
  return adapter;
};
export default clockproof;
