/** An app and its person, for the tests of linking. */

import { createHash } from 'node:crypto';
import type { AddedExtension, NewExtension } from '../src/extensions/extensions.js';
import type { Browser } from './browser.js';
import { installExtension } from './builders.js';
import type { Answer, World } from './world.js';

export const redirectUri = 'https://app.example/cb';
export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const challenge = createHash('sha256').update(verifier).digest('base64url');

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly link_expires_at: string;
  readonly expires_in: number;
}

/** An app that people can link. */
export function addApp(world: World, name: string, more: Partial<NewExtension> = {}): Promise<AddedExtension> {
  return installExtension(world, { name, linkable: true, redirectUris: [redirectUri], ...more });
}

export function authorizeQuery(app: AddedExtension, more: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'xyz',
    ...more,
  };
  return Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
}

/** Sends a browser to the app's question. @returns the id of the request for consent */
export function ask(
  browser: Browser,
  app: AddedExtension,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  return follow(browser, `/oauth/authorize?${authorizeQuery(app, more)}`);
}

async function follow(browser: Browser, address: string): Promise<string> {
  const answer = await browser.call('GET', address, {
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  const id = /\/link\?request=(cns_[0-9A-Za-z]+)$/.exec(answer.headers.get('location') ?? '')?.[1];
  if (answer.status !== 303 || id === undefined)
    throw new Error(`authorize: ${answer.status} ${answer.headers.get('location')}`);
  return id;
}

export function decide(browser: Browser, id: string, scopes: readonly string[]): Promise<Answer> {
  return browser.call('POST', `/app/consent/${id}`, {
    body: { decision: scopes.length === 0 ? 'deny' : 'allow', scopes },
  });
}

export function parametersOf(location: unknown): Record<string, string> {
  return Object.fromEntries(new URL(String(location)).searchParams);
}

/** A code for the permissions that a signed-in person grants. */
export function consent(
  browser: Browser,
  app: AddedExtension,
  scopes: readonly string[],
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  return consentTo(browser, `/oauth/authorize?${authorizeQuery(app, more)}`, scopes);
}

/** The same, for an address that the app has put together. */
export async function consentTo(browser: Browser, address: string, scopes: readonly string[]): Promise<string> {
  return parametersOf(await returnAfterConsent(browser, address, scopes))['code']!;
}

/** @returns the whole address with which the browser comes back to the app */
export async function returnAfterConsent(
  browser: Browser,
  address: string,
  scopes: readonly string[],
): Promise<string> {
  const id = await follow(browser, address);
  await browser.call('GET', `/app/consent/${id}`);
  const { status, body } = await decide(browser, id, scopes);
  const redirectTo = String(body['redirect_to']);
  if (!URL.canParse(redirectTo) || !new URL(redirectTo).searchParams.has('code'))
    throw new Error(`consent: ${status} ${JSON.stringify(body)}`);
  return redirectTo;
}

export function basic({ clientId, key }: Pick<AddedExtension, 'clientId' | 'key'>): string {
  return `Basic ${Buffer.from(`${clientId}:${key}`).toString('base64')}`;
}

/** @param url a replica instead of the world's own service */
export async function post(
  world: World,
  path: string,
  app: Pick<AddedExtension, 'clientId' | 'key'> | undefined,
  form: Readonly<Record<string, string>> | string,
  url = world.url,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method: 'POST',
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(app === undefined ? {} : { authorization: basic(app) }),
    },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

export function exchange(
  world: World,
  app: AddedExtension,
  code: string,
  more: Readonly<Record<string, string>> = {},
  url?: string,
): Promise<Answer> {
  return post(
    world,
    '/oauth/token',
    app,
    { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier, ...more },
    url,
  );
}

export function renew(
  world: World,
  app: AddedExtension,
  refreshToken: string,
  more: Readonly<Record<string, string>> = {},
  url?: string,
): Promise<Answer> {
  return post(world, '/oauth/token', app, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more }, url);
}

/** A person links an app: the whole way, from the browser's first step to tokens. */
export async function link(
  world: World,
  app: AddedExtension,
  personId: number,
  scopes: readonly string[],
  browser?: Browser,
): Promise<Tokens & { readonly browser: Browser }> {
  const personBrowser = browser ?? (await world.as(personId));
  const answer = await exchange(world, app, await consent(personBrowser, app, scopes));
  if (answer.status !== 200) throw new Error(`token: ${answer.status} ${JSON.stringify(answer.body)}`);
  return { ...(answer.body as unknown as Tokens), browser: personBrowser };
}
