/**
 * The fixtures: made through the adapter when a requirement first asks for them, and removed at the end. They stand in
 * companies of their own, so that nothing of the deployment is touched.
 */
import { randomBytes } from 'node:crypto';
import clockproof from '../adapters/clockproof.js';
import { LinkingApp } from '../peers/app.js';
import { type Card, Desfire, Ntag424 } from '../peers/card.js';
import { type Delivery, openReceiver, type Receiver } from '../peers/receiver.js';
import type { OnTheWay } from '../peers/socket.js';
import { fingerprintOf, keyOf, Terminal } from '../peers/terminal.js';
import {
  type Adapter,
  type AdapterFactory,
  type ExtensionSettings,
  type Features,
  type Fixtures,
  fixturesOf,
  type NewPerson,
  type Pages,
  type Session,
  type TerminalSettings,
} from './adapter.js';
import { Client, Connections, type Exchange } from './client.js';
import type { Contract, FindingKind } from './contract.js';
import { today } from './dates.js';
import { at } from './json.js';
import { Breach, Inconclusive, NotApplicable, Refused, Skipped } from './outcome.js';
import { Pace } from './pace.js';
import type { Target } from './target.js';

export interface Company {
  readonly id: number;
  readonly departments: readonly number[];
  /** The date that it is there. */
  today(): string;
}
export interface Person {
  readonly id: number;
  readonly firstName: string;
  readonly name: string;
  readonly email: string;
}
export interface SignedIn extends Person {
  readonly session: Session;
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
  'read:commitments',
  'write:anchors',
] as const;
const keyScopes = ['read:users', 'read:commitments', 'write:anchors'];
export const linkScopes = allScopes.filter((scope) => !keyScopes.includes(scope));
const day = 86_400_000;
/** Counts the addresses of all worlds of this process, so that no two use one. */
let addresses = 0;

export interface WorldOptions {
  /** Clockproof's unless given. */
  readonly adapter?: AdapterFactory | undefined;
  /** The time zone of the kit's companies. */
  readonly timeZone?: string | undefined;
  /** Starts the indexer. */
  readonly indexerCommand?: string | undefined;
}

export class World {
  readonly target: Target;
  readonly contract: Contract;
  readonly seed: number;
  readonly pace = new Pace();
  /** Every request of the run with its answer, which the laws judge. */
  readonly exchanges: Exchange[] = [];
  /** Without a credential. */
  readonly open: Client;
  readonly indexer: Client;
  /** The operations of the adapter. */
  readonly fixtures: Fixtures;
  readonly #adapter: () => Promise<Adapter>;
  readonly #timeZone: string;
  readonly #stamp = randomBytes(3).toString('hex');
  readonly #cleanUp: { readonly of: string; readonly step: () => Promise<unknown> }[] = [];
  readonly #allConnections: Connections[] = [];
  readonly #idle: Person[] = [];
  readonly #used = new Map<Extension, number[]>();
  /** Fixtures of the whole run. */
  readonly #lasting = new Map<string, Promise<unknown>>();
  /** People and terminals that requirements share. */
  readonly #shared = new Map<string, Promise<unknown>>();
  #separateAddresses = true;
  #count = 0;
  #week = 0;

  readonly intrusive: boolean;
  readonly indexerCommand: string | undefined;
  /** Requirements that were not judged, so that what they would have provoked is not missed. */
  readonly notJudged = new Set<string>();
  /**
   * Stands between the deployment and the kit's own receivers and sockets, where the kit is tested by breaking things.
   */
  onTheWay: OnTheWay & { readonly delivery?: ((delivery: Delivery) => readonly Delivery[]) | undefined } = {};

  constructor(
    target: Target,
    contract: Contract,
    seed: number,
    intrusive = false,
    { adapter: make = clockproof, timeZone = 'Europe/Berlin', indexerCommand }: WorldOptions = {},
  ) {
    this.intrusive = intrusive;
    this.target = target;
    this.contract = contract;
    this.seed = seed;
    this.#timeZone = timeZone;
    this.indexerCommand = indexerCommand;
    const connection = { pace: this.pace, record: (exchange: Exchange) => this.exchanges.push(exchange) };
    this.open = new Client(target.service.url, 'service', contract, connection);
    this.indexer = new Client(target.indexer?.url ?? 'http://no-indexer.invalid', 'indexer', contract, connection);
    this.#adapter = () =>
      this.#once(this.#lasting, 'adapter', async () => make(target, { connect: () => this.stranger(), Refused }));
    const fixtures = fixturesOf(this.#adapter);
    this.fixtures = {
      ...fixtures,
      // Switching writes off takes write scopes from every key: none made before serves another requirement.
      changeFeatures: async (features) => {
        await fixtures.changeFeatures(features);
        if (features.extensions_write !== undefined) this.#used.clear();
      },
    };
  }

  /** A client address of its own where the target is this machine, so that counted failures do not meet. */
  stranger(): Client {
    return this.open.from(this.#connections());
  }

  strangerToIndexer(): Client {
    return this.indexer.from(this.#connections());
  }

  /** Makes a fixture once; one that failed is made again for the next requirement. */
  #once<T>(cache: Map<string, Promise<unknown>>, key: string, make: () => Promise<T>): Promise<T> {
    const cachedFixture = cache.get(key) as Promise<T> | undefined;
    if (cachedFixture !== undefined) return cachedFixture;
    const fixture = make();
    cache.set(key, fixture);
    fixture.catch(() => cache.delete(key));
    return fixture;
  }

  /** True if the deployment is this machine and tells its addresses apart. */
  get local(): boolean {
    return this.#separateAddresses && /^https?:\/\/(localhost|127\.)/.test(this.target.service.url);
  }

  #connections(): Connections {
    const count = ++addresses;
    const connections = new Connections(
      this.local ? `127.${80 + (process.pid % 100)}.${1 + (count >> 7)}.${1 + (count & 127)}` : undefined,
    );
    this.#allConnections.push(connections);
    return connections;
  }

  /** `none` where it cannot work, which only the indexer does without. */
  async adapterName(): Promise<string> {
    return await this.#adapter().then(
      ({ name }) => name,
      () => 'none',
    );
  }

  /** @throws Skipped the service has no pages like Clockproof's */
  async pages(): Promise<Pages> {
    const { pages } = await this.#adapter();
    if (pages === undefined) throw new Skipped("the adapter has none of Clockproof's pages, which this is about");
    return pages;
  }

  /** Switches on what the kit needs. @throws Inconclusive the adapter cannot work */
  prepare(): Promise<void> {
    return this.#once(this.#lasting, 'prepared', async () => {
      await this.#compareAddresses();
      await this.#switchOn().catch((error: unknown) => {
        if (!(error instanceof Skipped)) throw error;
      });
    });
  }

  /** Behind a published port of a container or an SSH tunnel all addresses of this machine are one. */
  async #compareAddresses(): Promise<void> {
    if (!this.local) return;
    const remainingOf = async (client: Client) =>
      Number(/\br=(\d+)/.exec((await client.get('/api/v1/status')).header('ratelimit') ?? '')?.[1] ?? Number.NaN);
    const firstClient = this.stranger();
    for (let requestCount = 0; requestCount < 5; requestCount++) await remainingOf(firstClient);
    const remainingBefore = await remainingOf(firstClient);
    if ((await remainingOf(this.stranger())) <= remainingBefore) this.#separateAddresses = false;
  }

  /** The lead of the service's clock over this machine's, in milliseconds. */
  ahead(): Promise<number> {
    return this.#once(this.#lasting, 'ahead', async () => {
      const time = Date.parse(String((await this.open.get('/api/v1/status')).get('server_time')));
      return time - Date.now() || 0;
    });
  }

  async #switchOn(): Promise<void> {
    const featuresBefore = await this.fixtures.readFeatures();
    for (const name of ['extensions_write', 'personal_links', 'terminals'] as const) {
      const valueBefore = featuresBefore[name];
      if (valueBefore !== false) continue;
      await this.fixtures.changeFeatures({ [name]: true } as Partial<Features>);
      this.#cleanUp.push({
        of: `switch ${name}`,
        step: () => this.fixtures.changeFeatures({ [name]: valueBefore } as Partial<Features>),
      });
    }
  }

  hasExtensions(): Promise<boolean> {
    return this.#once(
      this.#lasting,
      'extensions',
      async () => (await this.open.get('/api/v1/status')).get('features.extensions') !== false,
    );
  }

  /** @throws Skipped extensions are switched off */
  async needExtensions(): Promise<void> {
    await this.prepare();
    if (!(await this.hasExtensions())) throw new Skipped('extensions are switched off here (EXTENSIONS_ENABLED=false)');
  }

  company(): Promise<Company> {
    return this.#once(this.#lasting, 'company', () => this.#found('Conformance'));
  }

  /** Another company, whose records nobody of the first may see. */
  neighbour(): Promise<Company> {
    return this.#once(this.#lasting, 'neighbour', () => this.#found('Neighbour'));
  }

  /** A company that no other requirement uses. */
  newCompany(name: string, timeZone = this.#timeZone): Promise<Company> {
    return this.#found(`${name} ${++this.#count}`, timeZone);
  }

  async #found(name: string, timeZone = this.#timeZone): Promise<Company> {
    await this.prepare();
    const { id, departments } = await this.fixtures.createCompany({
      name: `${name} ${this.#stamp}`,
      time_zone: timeZone,
      country: 'DE',
      region: 'DE-HH',
      departments: ['North', 'South'],
    });
    this.#cleanUp.push({ of: `company ${id}`, step: () => this.fixtures.setCompanyActive(id, false) });
    return { id, departments, today: () => today(timeZone) };
  }

  /** A new person. @param overrides settings other than usual */
  async newPerson(overrides: Partial<NewPerson> = {}): Promise<Person> {
    const company = await this.company();
    const count = ++this.#count;
    const firstName = `Kit${count}`;
    const person = await this.fixtures.createPerson({
      company_id: company.id,
      first_name: firstName,
      last_name: `Person ${this.#stamp}`,
      email: `kit-${count}-${this.#stamp}@conformance.example`,
      department_id: company.departments[0],
      employment_start: '2020-01-01',
      language: 'en',
      ...overrides,
    });
    this.#cleanUp.push({
      of: `person ${person.id}`,
      step: () => this.fixtures.erasePerson(person.id, company.today()),
    });
    return { ...person, firstName };
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
      const answer = await api.post('/api/v1/clock/out', { user_id: person.id });
      if (answer.status === 200 || answer.get('code') === 'not_clocked_in') this.#idle.push(person);
    }
  }

  /**
   * No other requirement gets the people and terminals of a check that is over its limit: it goes on in the background.
   */
  forget(): void {
    this.#taken.length = 0;
    this.#shared.clear();
  }

  /** Somebody who can sign in, with a PIN. @param index the same index is the same person */
  signedIn(index = 0): Promise<SignedIn> {
    return this.#once(this.#shared, `signed in ${index}`, async () => {
      const { today } = await this.company();
      const person = await this.newPerson({ tracked_from: `${today().slice(0, 8)}01` });
      return { ...person, session: await this.fixtures.signIn(person.id) };
    });
  }

  /** A new extension, bound to the company and acting for everyone. @param overrides settings other than usual */
  async newExtension(overrides: Partial<ExtensionSettings> = {}): Promise<Extension> {
    await this.needExtensions();
    const company = await this.company();
    const creation = await this.fixtures.createExtension({
      name: `Kit ${++this.#count} ${this.#stamp}`,
      mode: 'api',
      scopes: allScopes,
      acting: 'everyone',
      company_id: company.id,
      ...overrides,
    });
    this.#cleanUp.push({ of: `extension ${creation.id}`, step: () => this.fixtures.removeExtension(creation.id) });
    return {
      id: creation.id,
      clientId: creation.client_id,
      key: creation.key,
      secret: creation.webhook_secret ?? '',
      redirectUri: overrides.redirect_uris?.[0] ?? '',
      api: this.open.from(this.#connections()).with({ authorization: `Bearer ${creation.key}` }),
    };
  }

  /** An extension with every scope; another one when this one has been used often in the last minute. */
  async extension(): Promise<Extension> {
    const now = Date.now();
    for (const [extension, uses] of this.#used) {
      const recentUses = uses.filter((use) => use > now - 60_000);
      this.#used.set(extension, recentUses);
      if (recentUses.length < 6) {
        recentUses.push(now);
        return extension;
      }
    }
    const extension = await this.newExtension();
    this.#used.set(extension, [now]);
    return extension;
  }

  async app(overrides: Partial<ExtensionSettings> = {}): Promise<LinkingApp> {
    const extension = await this.newExtension({
      acting: 'personal_link',
      linking: true,
      redirect_uris: ['https://app.example/callback'],
      link_lifetime_days: 90,
      scopes: linkScopes,
      ...overrides,
    });
    return new LinkingApp(this.stranger(), extension, this.fixtures);
  }

  bearer(token: string): Client {
    return this.stranger().with({ authorization: `Bearer ${token}` });
  }

  /** A terminal, not yet paired. */
  async addedTerminal(
    overrides: Partial<TerminalSettings> = {},
  ): Promise<{ readonly id: string; readonly code: string }> {
    await this.prepare();
    const company = await this.company();
    const creation = await this.fixtures.createTerminal({
      company_id: company.id,
      name: `Gate ${++this.#count} ${this.#stamp}`,
      location: 'Kit',
      issuing_allowed: true,
      ...overrides,
    });
    this.#cleanUp.push({ of: `terminal ${creation.id}`, step: () => this.fixtures.removeTerminal(creation.id) });
    return creation;
  }

  /** A confirmed terminal. */
  async newTerminal(overrides: Partial<TerminalSettings> = {}): Promise<Terminal> {
    const { id, code } = await this.addedTerminal(overrides);
    const seed = randomBytes(32);
    const { publicKey } = keyOf(seed);
    const client = this.stranger();
    (await client.post('/api/v1/terminal/pair', { code, public_key: publicKey.toString('base64') })).is(201);
    await this.fixtures.confirmTerminal(id, fingerprintOf(publicKey));
    return new Terminal(client, id, seed);
  }

  /** One terminal for many requirements, without a repeat lock. @param settings those with other settings differ */
  terminal(settings: Partial<TerminalSettings> = {}): Promise<Terminal> {
    return this.#once(this.#shared, `terminal ${JSON.stringify(settings)}`, () =>
      this.newTerminal({ repeat_lock_seconds: 0, ...settings }),
    );
  }

  /** Issues a badge at a terminal. */
  async issue(terminal: Terminal, person: Person, family: 'desfire' | 'ntag424', card?: Card): Promise<Card> {
    await this.fixtures.startIssuing(terminal.id, person.id);
    const plastic = card ?? (family === 'desfire' ? new Desfire() : new Ntag424());
    const answer = await terminal.hold(plastic);
    if (answer.get('result') !== 'issued') {
      await this.fixtures.endIssuing(terminal.id);
      throw new Breach(`issuing a ${family} badge ended with ${answer.status} ${answer.brief()}`);
    }
    return plastic;
  }

  /** Somebody with a badge, for requirements that stamp. */
  badge(family: 'desfire' | 'ntag424'): Promise<{ readonly card: Card; readonly person: Person }> {
    return this.#once(this.#shared, `badge ${family}`, async () => {
      const person = await this.signedIn(family === 'desfire' ? 0 : 1);
      return { card: await this.issue(await this.terminal(), person, family), person };
    });
  }

  /** @throws Skipped the deployment cannot reach this machine, or does not deliver to private addresses */
  async receiver(overrides: Partial<ExtensionSettings> = {}): Promise<{ receiver: Receiver; extension: Extension }> {
    if (!this.local) throw new Skipped('the deployment cannot reach a receiver on this machine');
    const receiver = await openReceiver((delivery) => this.onTheWay.delivery?.(delivery) ?? [delivery]);
    this.#cleanUp.push({ of: 'receiver', step: () => receiver.close() });
    try {
      const extension = await this.newExtension({ mode: 'webhooks', webhook_url: receiver.url, ...overrides });
      return { receiver, extension };
    } catch (error) {
      if (String(error).includes('target_refused'))
        throw new Skipped('the deployment does not deliver to private addresses (WEBHOOK_ALLOW_PRIVATE_TARGETS)');
      throw error;
    }
  }

  /** @throws Skipped the deployment's own people would notice, and that was not allowed */
  needIntrusion(reason: string): void {
    if (!this.intrusive) throw new NotApplicable(`only with --intrusive: ${reason}`);
  }

  /** Answers that did not fit the documents, each kind of breach once. */
  findingsOf(kind: FindingKind): readonly string[] {
    const findings = this.contract.findings.filter((finding) => finding.kind === kind);
    return [...new Set(findings.map(({ operation, status, what }) => `${operation} ${status}: ${what}`))].slice(0, 20);
  }

  /** A week that no other requirement uses: Monday and Friday, about half a year ahead. */
  week(): { readonly monday: string; readonly wednesday: string; readonly friday: string } {
    const start = Date.parse(`${today(this.#timeZone)}T00:00:00Z`) + (140 + 7 * this.#week++) * day;
    const monday = start + ((8 - new Date(start).getUTCDay()) % 7) * day;
    const date = (time: number) => new Date(time).toISOString().slice(0, 10);
    return { monday: date(monday), wednesday: date(monday + 2 * day), friday: date(monday + 4 * day) };
  }

  /** Entries of the audit log of these days about the company. */
  async audit(action: string): Promise<readonly unknown[]> {
    const company = await this.company();
    const entries = await this.fixtures.listAuditEntries({ action });
    return entries.filter((entry) => at(entry, 'company_id') === undefined || at(entry, 'company_id') === company.id);
  }

  /** The delay of answers since an instant and of three now, in milliseconds; infinite if there is none. */
  async delaySince(from: number): Promise<number> {
    try {
      for (let times = 0; times < 3; times++) await this.stranger().get('/api/v1/status', { patient: false });
    } catch {
      return Number.POSITIVE_INFINITY;
    }
    return this.pace.delaySince(from);
  }

  /** @throws Inconclusive more seconds have passed than the check can bear */
  inTime(from: number, seconds: number, subject: string): void {
    const duration = (Date.now() - from) / 1_000;
    if (duration > seconds)
      throw new Inconclusive(
        `${subject} took ${duration.toFixed(0)} s, and this can be judged within ${seconds} s only`,
      );
  }

  /** Removes fixtures, last to first, and retries a failure once on new connections. @returns the repeated failures */
  async close(): Promise<readonly string[]> {
    const failures: string[] = [];
    // A check that was interrupted may still make something meanwhile.
    while (this.#cleanUp.length > 0)
      for (const { of, step } of this.#cleanUp.splice(0).reverse())
        if ((await failureOf(step)) !== undefined) {
          for (const connections of this.#allConnections) connections.renew();
          const failure = await failureOf(step);
          if (failure !== undefined) failures.push(`${of}: ${failure}`);
        }
    return [...new Set(failures)];
  }
}

/** @returns the reason of a failed clean-up; none if a requirement or the first try has removed the fixture */
async function failureOf(cleanUp: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await cleanUp();
    return undefined;
  } catch (error) {
    if (error instanceof Refused && error.code === 'not_found') return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
