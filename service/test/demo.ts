/** The demo as `make run` starts it, with fresh data: the guides run against it, and its people follow them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '@clockproof/platform/testing/guide';
import type { Target, TargetExtension } from '../demo/target.js';
import { type Browser, createBrowser } from './browser.js';

/** The start that the conformance kit also uses. */
const { startDemo: start } = (await import(join(repository, '.ci/demo.mjs'))) as {
  startDemo(data: string): Promise<{ readonly readerPort: number; readonly demoPort: number; stop(): Promise<void> }>;
};

export interface Person {
  readonly id: number;
  readonly display_name: string;
  readonly first_name: string;
  readonly email: string;
}

export interface Demo {
  readonly target: Target;
  readonly url: string;
  readonly companyId: number;
  /** The folder of its data. */
  readonly folder: string;
  /** A super admin's browser, signed in by a link of the demo's page. */
  readonly admin: Browser;
  /** The extension of the demo with this name. */
  extension(name: string): TargetExtension;
  /** Signs in a person who can sign in, by first name, as the demo's page does. */
  signIn(firstName: string): Promise<Browser>;
  /** A person whom no other test takes: clocked out, without absences. */
  takePerson(): Person;
  person(firstName: string): Person;
  /** Adds an extension. Resolves with the answer that a super admin gets on the page *New extension*. */
  addExtension(settings: Readonly<Record<string, unknown>>): Promise<{
    readonly extension: { readonly id: string };
    readonly key: string;
    readonly webhook_secret?: string;
  }>;
  /** Asks the public API, with a key of the tests unless another is given. @throws Error on a problem */
  ask<Answer>(method: string, path: string, body?: object, key?: string): Promise<Answer>;
  stop(): Promise<void>;
}

const allScopes = [
  ...['read:users', 'read:time_entries', 'read:leave_entries', 'read:clock_states', 'read:commitments'],
  ...['write:clock', 'write:absences'],
];

export async function startDemo(): Promise<Demo> {
  const data = mkdtempSync(join(tmpdir(), 'clockproof-demo-'));
  const { demoPort, stop } = await start(data);
  const target = JSON.parse(readFileSync(join(data, 'target.json'), 'utf8')) as Target;
  const { url } = target.service;
  const companyId = target.companies[0]!.id;
  const page = `http://localhost:${demoPort}`;

  const signIn = async (firstName: string): Promise<Browser> => {
    const links = await fetch(`${page}/links`, { method: 'POST', headers: { origin: page } });
    const people = (await links.json()) as { first_name: string; url: string }[];
    const link = people.find(({ first_name: name }) => name === firstName)!.url;
    const answer = await createBrowser(page).call('GET', new URL(link).pathname);
    const browser = createBrowser(url, url);
    browser.cookies.set('session', /^session=([^;]*)/.exec(answer.headers.get('set-cookie')!)![1]!);
    return browser;
  };
  const admin = await signIn('Sina');
  let extensions = 0;
  const addExtension: Demo['addExtension'] = async (settings) => {
    const { status, body } = await admin.call('POST', '/app/admin/extensions', {
      body: {
        ...{ name: `Integration ${++extensions}`, mode: 'api', acting: 'everyone', company_id: companyId },
        ...{ scopes: allScopes, ...settings },
      },
    });
    if (status !== 201) throw new Error(`the extension was refused: ${JSON.stringify(body)}`);
    return body as unknown as Awaited<ReturnType<Demo['addExtension']>>;
  };
  const { key: ownKey } = await addExtension({ name: 'Tests' });
  const ask = async <Answer>(method: string, path: string, body?: object, key = ownKey): Promise<Answer> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${JSON.stringify(answer)}`);
    return answer as Answer;
  };

  const { data: people } = await ask<{ data: Person[] }>('GET', '/users?limit=500');
  const { data: absentPeople } = await ask<{ data: { user_id: number }[] }>('GET', '/clock/states?state=out&limit=500');
  const { data: absences } = await ask<{ data: { user_id: number }[] }>(
    'GET',
    '/time/leaves?updated_since=1970-01-01&limit=500',
  );
  const personIds = new Set(target.companies[0]!.users.map(({ id }) => id));
  const free = people.filter(
    ({ id }) =>
      !personIds.has(id) &&
      absentPeople.some(({ user_id: person }) => person === id) &&
      !absences.some(({ user_id: person }) => person === id),
  );

  return {
    target,
    url,
    companyId,
    folder: data,
    admin,
    extension: (name) => target.extensions.find((extension) => extension.name === name)!,
    signIn,
    takePerson() {
      const person = free.pop();
      if (person === undefined) throw new Error('the demo has nobody left whom no test has taken');
      return person;
    },
    person: (firstName) => people.find(({ first_name: name }) => name === firstName)!,
    addExtension,
    ask,
    async stop() {
      await stop();
      rmSync(data, { recursive: true });
    },
  };
}
