/**
 * The fixtures: made from the super admin's sign-in when a requirement first asks for them, and removed at the end. They
 * stand in a company of their own, so that nothing of the deployment is touched.
 */
import { randomBytes } from 'node:crypto';
import { LinkingApp } from '../peers/app.js';
import { Browser } from '../peers/browser.js';
import { type Card, Desfire, Ntag424 } from '../peers/card.js';
import { type Delivery, openReceiver, type Receiver } from '../peers/receiver.js';
import type { OnTheWay } from '../peers/socket.js';
import { fingerprintOf, keyOf, Terminal } from '../peers/terminal.js';
import { agentFrom, Client } from './client.js';
import type { Contract, FindingKind } from './contract.js';
import { at } from './json.js';
import { Breach, Skipped } from './outcome.js';
import type { Target } from './target.js';

export interface Person {
  readonly id: number;
  readonly firstName: string;
  readonly name: string;
  readonly email: string;
}
export interface SignedIn extends Person {
  readonly browser: Browser;
}
export interface Extension {
  readonly id: string;
  readonly clientId: string;
  readonly key: string;
  readonly secret: string;
  readonly redirectUri: string;
  /** Calls with the extension's key. */
  readonly api: Client;
}
export const allScopes = [
  'read:users',
  'read:time_entries',
  'read:leave_entries',
  'read:clock_states',
  'write:clock',
  'write:absences',
] as const;
export const linkScopes = allScopes.filter((scope) => scope !== 'read:users');
const day = 86_400_000;
/** Of all worlds of this process, so that no two use one. */
let addresses = 0;

export class World {
  readonly target: Target;
  readonly contract: Contract;
  readonly seed: number;
  /** Without a credential. */
  readonly open: Client;
  readonly indexer: Client;
  readonly #stamp = randomBytes(3).toString('hex');
  readonly #cleanUp: (() => Promise<unknown>)[] = [];
  readonly #idle: Person[] = [];
  readonly #used = new Map<Extension, number[]>();
  #admin: Promise<Browser> | undefined;
  #company: Promise<{ id: number; departments: number[] }> | undefined;
  #neighbour: Promise<{ id: number; departments: number[] }> | undefined;
  #signedIn: Promise<SignedIn>[] = [];
  #count = 0;
  #week = 0;

  readonly #intrusive: boolean;
  /** Stands between the deployment and the kit's own receivers and sockets, where the kit is tested by breaking things. */
  onTheWay: OnTheWay & { readonly delivery?: ((delivery: Delivery) => readonly Delivery[]) | undefined } = {};

  constructor(target: Target, contract: Contract, seed: number, intrusive = false) {
    this.#intrusive = intrusive;
    this.target = target;
    this.contract = contract;
    this.seed = seed;
    this.open = new Client(target.service.url, 'service', contract);
    this.indexer = new Client(target.indexer.url, 'indexer', contract);
  }

  /** A client address of its own where the target is this machine, so that counted failures do not meet. */
  stranger(): Client {
    return this.open.from(this.#address());
  }

  strangerToIndexer(): Client {
    return this.indexer.from(this.#address());
  }

  get local(): boolean {
    return /^https?:\/\/(localhost|127\.)/.test(this.target.service.url);
  }

  #address() {
    const count = ++addresses;
    return agentFrom(
      this.local ? `127.${80 + (process.pid % 100)}.${1 + (count >> 7)}.${1 + (count & 127)}` : undefined,
    );
  }

  /** The super admin's browser. */
  admin(): Promise<Browser> {
    this.#admin ??= (async () => {
      const { email, password, totp_secret: secret } = this.target.super_admin;
      const browser = new Browser(this.stranger());
      await browser.signIn(email, password, secret);
      const before = (await browser.get('/app/admin/access')).is(200);
      const wanted = { extensions_write: true, personal_links: true, terminals: true };
      for (const [name, value] of Object.entries(wanted))
        if (before.get(name) !== value) {
          (await browser.patch('/app/admin/access', { [name]: value })).is(200);
          this.#cleanUp.push(() => browser.patch('/app/admin/access', { [name]: before.get(name) }));
        }
      return browser;
    })();
    return this.#admin;
  }

  company(): Promise<{ id: number; departments: number[] }> {
    this.#company ??= this.#found('Conformance');
    return this.#company;
  }

  /** Another company, whose records nobody of the first may see. */
  neighbour(): Promise<{ id: number; departments: number[] }> {
    this.#neighbour ??= this.#found('Neighbour');
    return this.#neighbour;
  }

  /** A company that no other requirement uses. */
  newCompany(name: string): Promise<{ id: number; departments: number[] }> {
    return this.#found(`${name} ${++this.#count}`);
  }

  async #found(name: string): Promise<{ id: number; departments: number[] }> {
    const admin = await this.admin();
    const made = await admin.post('/app/admin/companies', {
      name: `${name} ${this.#stamp}`,
      time_zone: 'Europe/Berlin',
      country: 'DE',
      region: 'DE-HH',
    });
    const id = made.is(201).number('id');
    this.#cleanUp.push(() => admin.patch(`/app/admin/companies/${id}`, { active: false }));
    const departments: number[] = [];
    for (const department of ['North', 'South'])
      departments.push(
        (await admin.post(`/app/admin/companies/${id}/departments`, { name: department })).is(201).number('id'),
      );
    return { id, departments };
  }

  /** A new person. @param more members of the request */
  async newPerson(more: Readonly<Record<string, unknown>> = {}): Promise<Person> {
    const admin = await this.admin();
    const company = await this.company();
    const count = ++this.#count;
    const firstName = `Kit${count}`;
    const made = (
      await admin.post('/app/admin/people', {
        company_id: company.id,
        first_name: firstName,
        last_name: `Person ${this.#stamp}`,
        email: `kit-${count}-${this.#stamp}@conformance.example`,
        department_id: company.departments[0],
        employment_start: '2020-01-01',
        language: 'en',
        ...more,
      })
    ).is(201);
    const id = made.number('id');
    this.#cleanUp.push(async () => {
      await admin.post(`/app/admin/people/${id}/deactivation`, { employment_end: today() });
      await admin.post(`/app/admin/people/${id}/erasure`, {
        confirm_name: made.string('display_name'),
        reason: 'The requirement is over',
      });
    });
    return { id, firstName, name: made.string('display_name'), email: made.string('email') };
  }

  /** Somebody who is clocked out. Used again when the requirement is over. */
  async person(): Promise<Person> {
    const person = this.#idle.pop() ?? (await this.newPerson());
    this.#taken.push(person);
    return person;
  }
  #taken: Person[] = [];

  /** Between two requirements that run one after the other. */
  async release(): Promise<void> {
    const { api } = await this.extension();
    for (const person of this.#taken.splice(0)) {
      const out = await api.post('/api/v1/clock/out', { user_id: person.id });
      if (out.status === 200 || out.get('code') === 'not_clocked_in') this.#idle.push(person);
    }
  }

  /** Somebody who can sign in, with a PIN. @param index the same index is the same person */
  signedIn(index = 0): Promise<SignedIn> {
    this.#signedIn[index] ??= (async () => {
      const person = await this.newPerson();
      const admin = await this.admin();
      const invited = (await admin.post(`/app/admin/people/${person.id}/invitation`)).is(201);
      const browser = new Browser(this.stranger());
      await browser.accept(invited.string('url'), `kit-${randomBytes(12).toString('base64url')}`);
      (await browser.put('/app/pin', { pin: '012345' })).is(204);
      return { ...person, browser };
    })();
    return this.#signedIn[index];
  }

  /** A new extension, bound to the company and acting for everyone. @param more members of the request */
  async newExtension(more: Readonly<Record<string, unknown>> = {}): Promise<Extension> {
    const admin = await this.admin();
    const company = await this.company();
    const made = (
      await admin.post('/app/admin/extensions', {
        name: `Kit ${++this.#count} ${this.#stamp}`,
        mode: 'api',
        scopes: allScopes,
        acting: 'everyone',
        company_id: company.id,
        ...more,
      })
    ).is(201);
    const id = made.string('extension.id');
    this.#cleanUp.push(() => admin.delete(`/app/admin/extensions/${id}`));
    const key = made.string('key');
    const redirects = more['redirect_uris'] as readonly string[] | undefined;
    return {
      id,
      clientId: made.string('extension.client_id'),
      key,
      secret: String(made.get('webhook_secret') ?? ''),
      redirectUri: redirects?.[0] ?? '',
      api: this.open.from(this.#address()).with({ authorization: `Bearer ${key}` }),
    };
  }

  /** An extension with every scope; another one when this one has been used often in the last minute. */
  async extension(): Promise<Extension> {
    const now = Date.now();
    for (const [extension, uses] of this.#used) {
      const recent = uses.filter((use) => use > now - 60_000);
      this.#used.set(extension, recent);
      if (recent.length < 6) {
        recent.push(now);
        return extension;
      }
    }
    const extension = await this.newExtension();
    this.#used.set(extension, [now]);
    return extension;
  }

  async app(more: Readonly<Record<string, unknown>> = {}): Promise<LinkingApp> {
    const extension = await this.newExtension({
      acting: 'personal_link',
      linking: true,
      redirect_uris: ['https://app.example/callback'],
      link_lifetime_days: 90,
      scopes: linkScopes,
      ...more,
    });
    return new LinkingApp(this.stranger(), extension);
  }

  bearer(token: string): Client {
    return this.stranger().with({ authorization: `Bearer ${token}` });
  }

  /** A terminal, not yet paired. */
  async addedTerminal(
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly id: string; readonly code: string }> {
    const admin = await this.admin();
    const company = await this.company();
    const made = (
      await admin.post('/app/admin/terminals', {
        company_id: company.id,
        name: `Gate ${++this.#count} ${this.#stamp}`,
        location: 'Kit',
        issuing_allowed: true,
        ...more,
      })
    ).is(201);
    const id = made.string('terminal.id');
    this.#cleanUp.push(() => admin.delete(`/app/admin/terminals/${id}`));
    return { id, code: made.string('code') };
  }

  /** A confirmed terminal. */
  async newTerminal(more: Readonly<Record<string, unknown>> = {}): Promise<Terminal> {
    const { id, code } = await this.addedTerminal(more);
    const seed = randomBytes(32);
    const { publicKey } = keyOf(seed);
    const client = this.stranger();
    (await client.post('/api/v1/terminal/pair', { code, public_key: publicKey.toString('base64') })).is(201);
    const admin = await this.admin();
    (await admin.post(`/app/admin/terminals/${id}/confirmation`, { fingerprint: fingerprintOf(publicKey) })).is(200);
    return new Terminal(client, id, seed);
  }
  #terminals = new Map<string, Promise<Terminal>>();

  /** One terminal for many requirements, without a repeat lock. @param settings those with other settings differ */
  terminal(settings: Readonly<Record<string, unknown>> = {}): Promise<Terminal> {
    const key = JSON.stringify(settings);
    const known = this.#terminals.get(key) ?? this.newTerminal({ repeat_lock_seconds: 0, ...settings });
    this.#terminals.set(key, known);
    return known;
  }

  /** Issues a badge at a terminal. */
  async issue(terminal: Terminal, person: Person, family: 'desfire' | 'ntag424', card?: Card): Promise<Card> {
    const admin = await this.admin();
    (await admin.post(`/app/admin/terminals/${terminal.id}/issuing`, { user_id: person.id })).is(201);
    const plastic = card ?? (family === 'desfire' ? new Desfire() : new Ntag424());
    const answer = await terminal.hold(plastic);
    if (answer.get('result') !== 'issued') {
      await admin.delete(`/app/admin/terminals/${terminal.id}/issuing`);
      throw new Breach(`issuing a ${family} badge ended with ${answer.status} ${answer.brief()}`);
    }
    return plastic;
  }
  #badges = new Map<string, Promise<{ readonly card: Card; readonly person: Person }>>();

  /** Somebody with a badge, for requirements that stamp. */
  badge(family: 'desfire' | 'ntag424'): Promise<{ readonly card: Card; readonly person: Person }> {
    const known =
      this.#badges.get(family) ??
      (async () => {
        const person = await this.signedIn(family === 'desfire' ? 0 : 1);
        return { card: await this.issue(await this.terminal(), person, family), person };
      })();
    this.#badges.set(family, known);
    return known;
  }

  /** @throws Skipped the deployment cannot reach this machine, or does not deliver to private addresses */
  async receiver(more: Readonly<Record<string, unknown>> = {}): Promise<{ receiver: Receiver; extension: Extension }> {
    if (!this.local) throw new Skipped('the deployment cannot reach a receiver on this machine');
    const receiver = await openReceiver((delivery) => this.onTheWay.delivery?.(delivery) ?? [delivery]);
    this.#cleanUp.push(() => receiver.close());
    try {
      return { receiver, extension: await this.newExtension({ mode: 'webhooks', webhook_url: receiver.url, ...more }) };
    } catch (error) {
      if (String(error).includes('target_refused'))
        throw new Skipped('the deployment does not deliver to private addresses (WEBHOOK_ALLOW_PRIVATE_TARGETS)');
      throw error;
    }
  }

  /** @throws Skipped the deployment's own people would notice, and that was not allowed */
  needIntrusion(why: string): void {
    if (!this.#intrusive) throw new Skipped(`only with --intrusive: ${why}`);
  }

  /** What did not fit the documents, each kind of breach once. */
  found(kind: FindingKind): readonly string[] {
    const own = this.contract.findings.filter((finding) => finding.kind === kind);
    return [...new Set(own.map(({ operation, status, what }) => `${operation} ${status}: ${what}`))].slice(0, 20);
  }

  /** A week that no other requirement uses: Monday and Friday, about half a year ahead. */
  week(): { readonly monday: string; readonly wednesday: string; readonly friday: string } {
    const start = Date.parse(`${today()}T00:00:00Z`) + (140 + 7 * this.#week++) * day;
    const monday = start + ((8 - new Date(start).getUTCDay()) % 7) * day;
    const date = (time: number) => new Date(time).toISOString().slice(0, 10);
    return { monday: date(monday), wednesday: date(monday + 2 * day), friday: date(monday + 4 * day) };
  }

  /** Entries of the audit log of these days. */
  async audit(action: string): Promise<readonly unknown[]> {
    const admin = await this.admin();
    const tomorrow = new Date(Date.now() + day).toISOString().slice(0, 10);
    const company = await this.company();
    const path = `/app/admin/audit?from=${today()}&to=${tomorrow}&action=${action}&limit=500`;
    const found = (await admin.get(path)).is(200).list('data');
    return found.filter((entry) => at(entry, 'company_id') === undefined || at(entry, 'company_id') === company.id);
  }

  /** Removes what was made, last to first. @returns what could not be removed */
  async close(): Promise<readonly string[]> {
    const failed: string[] = [];
    // A check that was interrupted may still make something meanwhile.
    while (this.#cleanUp.length > 0)
      for (const step of this.#cleanUp.splice(0).reverse())
        await step().catch((error: unknown) => failed.push(error instanceof Error ? error.message : String(error)));
    return failed;
  }
}

export const today = (): string => new Date().toISOString().slice(0, 10);
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
