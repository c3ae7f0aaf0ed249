/** A browser of the tests: keeps cookies, names its origin, signs people in. */

import type { Database } from '@clockproof/platform/database/database';
import createClient, { type Client } from 'openapi-fetch';
import { setPassword } from '../src/access/credentials.js';
import { enrolTotp } from '../src/access/second-factor/second-factor.js';
import { oneTimePassword, stepAt } from '../src/access/second-factor/totp.js';
import { openSession, renewSession } from '../src/access/sessions.js';
import type { paths as PagePaths } from '../src/generated/page-types.js';
import type { paths as ApiPaths } from '../src/generated/service-client-types.js';
import { actorOf } from '../src/people/actor.js';
import { findPersonAnywhere } from '../src/people/rows.js';
import type { Service } from '../src/service.js';
import { installationSecret } from '../src/store/installation.js';
import { createSealingKeys, type SealingKeys } from '../src/store/sealing/sealing-keys.js';
import { quickPasswords } from './quick-passwords.js';
import { dataKey, seededBytes } from './secrets.js';
import type { Answer, World } from './world.js';

export const baseUrl = 'http://localhost:8080';
export const password = 'nine tame otters swim';

export interface BrowserCall {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** A client whose methods `GET`, `POST` and so on take the requests of the contract. */
export interface Browser extends Client<PagePaths> {
  readonly cookies: Map<string, string>;
  /**
   * Sends requests that are wrong, or drawn from the document.
   * @param call headers given as null are left out
   */
  call(method: string, path: string, call?: BrowserCall): Promise<Answer>;
}

export type AppClient = Client<ApiPaths>;

/** Calls of an app with its key, or with a personal link. */
export function createAppClient(url: string, key: string): AppClient {
  return createClient({ baseUrl: url, headers: { authorization: `Bearer ${key}` } });
}

/**
 * @param url the service it talks to; another replica unless the world's own
 * @param origin of its pages
 */
export function createBrowser(url: string, origin = baseUrl): Browser {
  const cookies = new Map<string, string>();
  const headersOf = (method: string, isJson: boolean, overrides: Readonly<Record<string, string | null>> = {}) =>
    Object.entries({
      origin: method === 'GET' ? null : origin,
      'sec-fetch-site': 'same-origin',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      cookie: cookies.size === 0 ? null : [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'content-type': isJson ? 'application/json' : null,
      ...overrides,
    }).filter((entry): entry is [string, string] => entry[1] !== null);
  const keepCookies = (response: Response) => {
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/Max-Age=0(;|$)/.test(line)) cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return response;
  };
  const client = createClient<PagePaths>({
    baseUrl: url,
    async fetch(request) {
      for (const [name, value] of headersOf(request.method, request.body !== null)) request.headers.set(name, value);
      return keepCookies(await fetch(request, { redirect: 'manual' }));
    },
  });
  return {
    ...client,
    cookies,
    async call(method, path, { body, headers } = {}) {
      const response = keepCookies(
        await fetch(url + path, {
          method,
          redirect: 'manual',
          headers: Object.fromEntries(headersOf(method, body !== undefined, headers)),
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      return {
        status: response.status,
        headers: response.headers,
        body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text },
      };
    },
  };
}

/**
 * Signs a person in without a password or code: opens their session and proves its second factor in the store. {@link
 * signIn} takes the way of the pages.
 */
export async function startSession(
  { url, store }: Service,
  personId: number,
  { at, randomBytes }: { readonly at: number; readonly randomBytes: World['randomBytes'] },
): Promise<Browser> {
  const browser = createBrowser(url);
  const person = (await findPersonAnywhere(store, personId))!;
  const token = await store.write({ actor: actorOf(person), at }, async (write) => {
    const session = await openSession(
      write,
      {
        personId,
        openedBy: 'password',
        address: '127.0.0.1',
        device: undefined,
        previousToken: undefined,
        refusal: 'credentials_invalid',
      },
      randomBytes,
      at,
    );
    const entry = {
      companyId: person.company_id,
      subject: `person ${personId}`,
      details: { session: session.id },
    };
    await write.audit({ ...entry, action: 'sign_in.password' });
    await write.audit({ ...entry, action: 'sign_in.completed' });
    return renewSession(write, session.id, 'complete', randomBytes, at);
  });
  browser.cookies.set('session', token);
  return browser;
}

export async function factorKeysOf(world: World, dataKey?: Uint8Array): Promise<SealingKeys> {
  return createSealingKeys(
    dataKey && world.service.dataKey,
    await installationSecret(world.service.store, world.randomBytes),
    seededBytes('factor'),
  );
}

/** The secret in the authenticator app of a person of the tests. */
export function secretOf(personId: number): Uint8Array {
  return seededBytes(`phone of ${personId}`)(20);
}

export function codeOf(personId: number, at: number, offset = 0): string {
  return oneTimePassword(secretOf(personId), stepAt(at) + offset);
}

/** Gives people the password and second factor of the tests. */
export async function giveCredentials(world: World, personIds: readonly number[], keys: SealingKeys): Promise<void> {
  const passwordHash = await quickPasswords.hash(password);
  await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
    for (const personId of personIds) {
      const { company_id: companyId } = (await write.get<{ company_id: number }>(
        'SELECT company_id FROM people WHERE id = :personId',
        { personId },
      ))!;
      await setPassword(write, { personId, companyId, passwordHash });
      await enrolTotp(write, { personId, companyId, secret: secretOf(personId), keys });
    }
  });
}

/** Rhea, a super admin who can sign in, of Sued unless another company is named. */
export async function addSuperAdmin(
  world: World,
  { companyId = world.sued, lastName = 'Root' }: { readonly companyId?: number; readonly lastName?: string } = {},
): Promise<number> {
  const id = await world.hire({
    companyId,
    firstName: 'Rhea',
    lastName,
    email: 'rhea@clockproof.example',
    role: 'super_admin',
  });
  await giveCredentials(world, [id], await factorKeysOf(world, dataKey));
  return id;
}

/** Signs a person in, second factor included. Moves the clock by a step, since no code is good twice. */
export async function signIn(world: World, personId: number, browser = createBrowser(world.url)): Promise<Browser> {
  const { email } = (await world.db.get<{ email: string }>('SELECT email FROM people WHERE id = :personId', {
    personId,
  }))!;
  world.advance(30_000);
  const passwordAnswer = await browser.call('POST', '/app/sign-in', { body: { email, password } });
  if (passwordAnswer.status !== 200)
    throw new Error(`sign-in: ${passwordAnswer.status} ${JSON.stringify(passwordAnswer.body)}`);
  const codeAnswer = await browser.call('POST', '/app/sign-in/second-factor', {
    body: { code: codeOf(personId, world.now()) },
  });
  if (codeAnswer.status !== 200)
    throw new Error(`second factor: ${codeAnswer.status} ${JSON.stringify(codeAnswer.body)}`);
  return browser;
}

/** RFC 4648 §6, as an authenticator app reads it. */
export function fromBase32(text: string): Buffer {
  let bits = '';
  for (const character of text)
    bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0');
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}

/** Every table's rows as text: the view of a thief of the database. */
export async function dump(db: Database): Promise<string> {
  const tables = await db.all<{ name: string }>(`SELECT name FROM ${db.dialect.tables}`);
  const rows = await Promise.all(tables.map(({ name }) => db.all(`SELECT * FROM ${name}`)));
  return JSON.stringify(rows, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  );
}
