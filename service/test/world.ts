/**
 * The world of the feature tests: the real service on a real database, a clock that the test moves, and a small fixed
 * cast.
 *
 * Nord (Hamburg): Ada (office), Ben (yard), Cem (his last day was 31 October 2026). Sued (Munich): Zoe. Planner acts
 * for everyone in Nord, Reader reads Nord, Auditor reads every company, Souther acts for everyone in Sued.
 */

import type { Database } from '@clockproof/platform/database/database';
import type { DatabaseSettings } from '@clockproof/platform/database/open';
import { type Log, silentLog } from '@clockproof/platform/log';
import {
  type Contents,
  createTestDatabase,
  type DialectName,
  type TestDatabase,
} from '@clockproof/platform/testing/databases';
import { type Instant, minute, parseInstant, second } from '@clockproof/platform/time/instant';
import { switchPeopleAccess } from '../src/access/integrations/people-access.js';
import { readConfig } from '../src/config.js';
import { type AddedExtension, recordExtension } from '../src/extensions/extensions.js';
import type { Dispatcher } from '../src/extensions/webhooks/dispatcher.js';
import type { ResolveHost } from '../src/extensions/webhooks/send.js';
import { type Scope, scopes } from '../src/generated/contract.js';
import type { Mailer } from '../src/inbox/mail/mailer.js';
import { addDepartment, recordCompany, recordPerson } from '../src/people/people.js';
import { type Service, startService } from '../src/service.js';
import type { PersonId } from '../src/store/ids.js';
import { migrations } from '../src/store/migrations/migrations.js';
import type { Write } from '../src/store/write.js';
import { type AppClient, type Browser, createAppClient, startSession } from './browser.js';
import { hire, type Newcomer } from './builders.js';
import { eventFault, storedEventFaults } from './event-schema.js';
import { untilSettled } from './feed.js';
import { quickPasswords } from './quick-passwords.js';
import { dataKey, seededBytes } from './secrets.js';
import { berlin } from './zones.js';

/** An instant between two seconds, like nearly every instant of a running service. */
export const monday = parseInstant('2026-11-23T07:00:00.684Z')!;
/** The minute of {@link monday}, for times that people state. */
export const mondayMinute = monday - (monday % minute);
const firstOfMonth = parseInstant('2026-11-01T07:00:00Z')!;
const system = { kind: 'system' } as const;
export const allScopes: readonly Scope[] = scopes;

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

export interface Call {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface World {
  readonly db: Database;
  /** The environment for a process of its own on the same database. */
  readonly settings: Readonly<Record<string, string>>;
  readonly service: Service;
  readonly url: string;
  readonly nord: number;
  readonly sued: number;
  readonly office: number;
  readonly people: { readonly ada: number; readonly ben: number; readonly cem: number; readonly zoe: number };
  readonly planner: AddedExtension;
  readonly reader: AddedExtension;
  readonly auditor: AddedExtension;
  readonly souther: AddedExtension;
  readonly randomBytes: (size: number) => Uint8Array;
  now(): Instant;
  /** Moves the clock. */
  advance(milliseconds: number): void;
  set(at: Instant): void;
  call(method: string, path: string, call?: Call): Promise<Answer>;
  /** One write of the service itself, at the world's time. */
  write<Result>(effect: (write: Write) => Promise<Result>): Promise<Result>;
  /** A person who joins a company, Nord unless another one is named. */
  hire(person?: Newcomer): Promise<PersonId>;
  /**
   * A browser in which a person is signed in, with a fresh proof of the second factor.
   * @param process a replica in place of the first process
   */
  as(personId: number, process?: Service): Promise<Browser>;
  /** The client of an app. */
  app(extension: Pick<AddedExtension, 'key'>): AppClient;
  /** A second process on the same database, with settings of its own if they are given. */
  replica(env?: Readonly<Record<string, string>>): Promise<Service>;
  /** Delivers the webhooks that are due, by every process in turn, or by one: 0 is the first. */
  deliver(process?: number): Promise<void>;
  /**
   * Sends the e-mails that are due, by every process in turn, or by one: 0 is the first. @returns the number of mails
   * taken
   */
  mail(process?: number): Promise<number>;
  /** Does the work of every process in each second: heartbeats of open connections. */
  tick(): Promise<void>;
  /** Stops a process made by {@link World.replica}. */
  stop(replica: Service): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly log?: Log;
  /** True for benches: answers and events are not held against the document. */
  readonly unchecked?: boolean;
  /** Resolves the names of webhooks. */
  readonly resolveHost?: ResolveHost;
  /** The built pages are served. Reading them takes longer than all else of a start. */
  readonly pages?: boolean;
  /** The built documentation is served. Without it errors lead to no page. */
  readonly documented?: boolean;
  /** The common beginning of all worlds of a file beside the cast, done once. Its name is the file's own. */
  readonly prepared?: { readonly name: string; run(world: World): Promise<void> };
}

type Cast = Pick<World, 'nord' | 'sued' | 'office' | 'people' | 'planner' | 'reader' | 'auditor' | 'souther'>;

/** A cast with the instant at which its worlds begin, if that is not Monday. */
type Staged = Cast & { readonly at?: Instant };

/**
 * The rows that a service without settings of its own writes at its first start, and the cast: the same for every
 * world.
 */
const stage: Contents = {
  name: 'cast',
  async fill(settings) {
    const randomBytes = seededBytes('stage');
    const service = await startService({
      config: readConfig({ ...commonSettings, DB_DRIVER: settings.driver, DB_DSN: settings.dsn }),
      log: silentLog,
      clock: () => monday,
      randomBytes,
      notesSigning: false,
      docsFolder: '/nowhere',
      pagesFolder: '/nowhere',
      repeatDelivering: (dispatcher) => () => dispatcher.stop(),
      repeatMailing: (mailer) => () => mailer.stop(),
      repeatTicking: () => async () => undefined,
      repeatUpkeep: () => async () => undefined,
    });
    try {
      return await addCast(service, randomBytes);
    } finally {
      await service.close();
    }
  },
};

/** With another value the first start, or the cast, would leave other rows. */
const shapesRows = ['DATA_KEY', 'SMTP_URL', 'EXTENSIONS_ENABLED'];

const commonSettings = {
  LISTEN_ADDR: '127.0.0.1:0',
  RATE_API_PER_MINUTE: '1000000',
  RATE_IP_PER_MINUTE: '1000000',
  RATE_TERMINAL_PER_MINUTE: '1000000',
  DATA_KEY: dataKey.toString('base64'),
  // On a busy machine a connection may take long; only tests of that wait a shorter time.
  DB_POOL_WAIT_MS: '60000',
};

export async function createWorld(dialect: DialectName, options: WorldOptions = {}): Promise<World> {
  const { env = {}, prepared } = options;
  const usesStage = shapesRows.every((name) => env[name] === undefined);
  if (!usesStage) {
    const world = await openWorld(await createTestDatabase(dialect, migrations), options);
    await prepared?.run(world);
    return world;
  }
  const contents =
    prepared === undefined
      ? stage
      : {
          name: `${stage.name}_${prepared.name}`,
          async fill(settings: DatabaseSettings): Promise<Staged> {
            const cast = (await stage.fill(settings)) as Staged;
            const home = { settings, contents: cast, drop: async () => undefined };
            const world = await openWorld(home, options, prepared.name);
            await prepared.run(world);
            await world.close();
            return { ...cast, at: world.now() };
          },
        };
  return openWorld(await createTestDatabase(dialect, migrations, contents), options);
}

async function openWorld(
  home: TestDatabase,
  { env = {}, log = silentLog, unchecked = false, resolveHost, pages = false, documented = false }: WorldOptions,
  seed = 'world',
): Promise<World> {
  const stageContents = home.contents as Staged | undefined;
  const settings = { DB_DRIVER: home.settings.driver, DB_DSN: home.settings.dsn, ...commonSettings, ...env };
  let at = stageContents?.at ?? monday;
  const breaches: string[] = [];
  const randomBytes = seededBytes(seed);
  const start = (overrides: Readonly<Record<string, string>> = {}) =>
    startService({
      config: readConfig({ ...settings, ...overrides }),
      log,
      clock: () => at,
      randomBytes,
      notesSigning: false,
      passwords: quickPasswords,
      ...(pages ? {} : { pagesFolder: '/nowhere' }),
      ...(documented ? {} : { docsFolder: '/nowhere' }),
      ...(resolveHost === undefined ? {} : { resolveHost }),
      // Webhooks go out when a test asks for it.
      random: () => 0.5,
      repeatDelivering: (dispatcher) => {
        dispatchers.push(dispatcher);
        return () => dispatcher.stop();
      },
      repeatMailing: (mailer) => {
        mailers.push(mailer);
        return () => mailer.stop();
      },
      // Tests call the subjects of their own.
      repeatUpkeep: () => async () => undefined,
      repeatTicking: (tick) => {
        ticks.push(tick);
        return async () => void ticks.splice(ticks.indexOf(tick), 1);
      },
      ...(unchecked ? {} : { onContractBreach: (breach: string) => breaches.push(breach) }),
    });
  const dispatchers: Dispatcher[] = [];
  const mailers: Mailer[] = [];
  const ticks: (() => Promise<unknown>)[] = [];
  const service = await start();
  const { db } = service;
  const replicas: Service[] = [];

  const cast = stageContents ?? (await addCast(service, randomBytes));

  const world: World = {
    ...cast,
    db,
    settings,
    service,
    url: service.url,
    randomBytes,
    now: () => at,
    advance(milliseconds) {
      at += milliseconds;
    },
    set(instant) {
      at = instant;
    },
    async call(method, path, { key, body, headers = {} } = {}) {
      const response = await fetch(service.url + path, {
        method,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isPage = response.headers.get('content-type')?.startsWith('text/html') === true;
      const answer = text === '' ? {} : isPage ? { text } : (JSON.parse(text) as Record<string, unknown>);
      if (response.status === 200 && path.startsWith('/api/v1/events'))
        breaches.push(...(answer['data'] as object[]).flatMap((event) => eventFault(event) ?? []));
      return { status: response.status, headers: response.headers, body: answer };
    },
    // A test may put a replica in the place of the first process.
    write(effect) {
      return this.service.store.write({ actor: system, at }, effect);
    },
    hire(person) {
      return this.write((write) => hire(write, { companyId: cast.nord, ...person }));
    },
    as: (personId, process = service) => startSession(process, personId, { at, randomBytes }),
    app: ({ key }) => createAppClient(service.url, key),
    async replica(overrides) {
      const replica = await start(overrides);
      replicas.push(replica);
      return replica;
    },
    async deliver(process) {
      const chosenDispatchers = process === undefined ? dispatchers : [dispatchers[process]!];
      await untilSettled(db);
      for (const dispatcher of chosenDispatchers) await dispatcher.pass();
    },
    async mail(process) {
      let sentCount = 0;
      for (const mailer of process === undefined ? mailers : [mailers[process]!]) sentCount += await mailer.pass();
      return sentCount;
    },
    async tick() {
      for (const tick of [...ticks]) await tick();
    },
    async stop(replica) {
      replicas.splice(replicas.indexOf(replica), 1);
      await replica.close();
    },
    async close() {
      if (!unchecked) breaches.push(...(await storedEventFaults(db)));
      for (const instance of [...replicas, service]) await instance.close();
      await home.drop();
      if (breaches.length > 0)
        throw new Error(`answers or events that are not in the document:\n${breaches.join('\n')}`);
    },
  };
  return world;
}

async function addCast({ db, store }: Service, randomBytes: World['randomBytes']): Promise<Cast> {
  // They have been here since the first of the month: their accounts begin with it.
  const staff = await store.write({ actor: system, at: firstOfMonth }, async (write) => {
    const nord = await recordCompany(write, {
      name: 'Nordlicht Logistik GmbH',
      timeZone: berlin,
      country: 'DE',
      region: 'DE-HH',
    });
    const sued = await recordCompany(write, {
      name: 'Südwind Energie AG',
      timeZone: berlin,
      country: 'DE',
      region: 'DE-BY',
    });
    const office = await addDepartment(write, nord, 'Office');
    const yard = await addDepartment(write, nord, 'Yard');
    const person = (companyId: number, firstName: string, lastName: string, settings: object = {}) =>
      recordPerson(write, {
        companyId,
        firstName,
        lastName,
        email: `${firstName}@clockproof.example`,
        role: 'employee',
        language: 'en',
        employmentStart: '2020-01-01',
        ...settings,
      });
    const people = {
      ada: await person(nord, 'Ada', 'Lang', { departmentId: office }),
      ben: await person(nord, 'Ben', 'Kurz', { departmentId: yard }),
      cem: await person(nord, 'Cem', 'Ende', { departmentId: yard, employmentEnd: '2026-10-31' }),
      zoe: await person(sued, 'Zoe', 'Weit'),
    };
    return { nord, sued, office, people };
  });
  // The events of a test begin with the test.
  await db.write((tx) => tx.run('DELETE FROM events'));
  const { nord, sued } = staff;
  return store.write({ actor: system, at: monday }, async (write) => {
    await switchPeopleAccess(write, { writes: true, links: true, terminals: true });
    const extension = (name: string, settings: object) =>
      recordExtension(
        write,
        { name, mode: 'api', acting: 'personal_link', scopes: allScopes, ...settings },
        randomBytes,
      );
    return {
      ...staff,
      planner: await extension('Planner', { companyId: nord, acting: 'everyone' }),
      reader: await extension('Reader', {
        companyId: nord,
        scopes: ['read:users', 'read:time_entries', 'read:clock_states'],
      }),
      auditor: await extension('Auditor', {}),
      souther: await extension('Souther', { companyId: sued, acting: 'everyone' }),
    };
  });
}

export { dataKey, minute, second, seededBytes };
