/** Two apps and two people: consents, renewals, and both ways to end a link. */
import type { Client } from '../../kit/client.js';
import { at } from '../../kit/json.js';
import { linkScopes, type SignedIn, type World } from '../../kit/world.js';
import type { LinkingApp } from '../../peers/app.js';
import type { Keep } from './walk-door.js';

const stamps = ['in', 'out', 'break/start', 'break/end'] as const;

/** The link of one app, with every token that came of it. */
export interface WalkedLink {
  readonly app: LinkingApp;
  readonly person: SignedIn;
  readonly api: Client[];
  refresh: string;
}

export async function openLinks(world: World, keep: Keep): Promise<readonly WalkedLink[]> {
  const links: WalkedLink[] = [];
  for (const index of [0, 1]) {
    const person = await world.signedIn(index);
    const app = await world.app();
    const verifier = app.newVerifier();
    const question = await app.ask(person.session, verifier, { scope: linkScopes.join(' ') });
    await world.fixtures.showConsent(person.session, question);
    const granted = linkScopes.slice(0, linkScopes.length - index);
    const redirect = new URL(await world.fixtures.decideConsent(person.session, question, granted));
    const code = redirect.searchParams.get('code') ?? '';
    const tokens = (await keep(app.exchange(code, verifier))).is(200);
    const api = [world.bearer(tokens.string('access_token'))];
    links.push({ app, person, api, refresh: tokens.string('refresh_token') });
    await keep(api[0]!.get('/api/v1/me'));
    await world.fixtures.listLinks(person.session);
    await world.fixtures.showExtension(app.registered.id);
  }
  return links;
}

export async function useLink(
  { app: { registered }, api }: WalkedLink,
  world: World,
  keep: Keep,
  random: (below: number) => number,
): Promise<void> {
  const token = api.at(-1)!;
  await keep(token.get('/api/v1/me'));
  await keep(token.post(`/api/v1/clock/${stamps[random(stamps.length)]}`, {}));
  await keep(token.get('/api/v1/me'));
  await keep(token.get('/api/v1/clock/states'));
  await world.fixtures.showExtension(registered.id);
}

/** Renews twice, takes a permission back, ends the links, and tries every token once more. */
export async function endLinks(links: readonly WalkedLink[], world: World, keep: Keep): Promise<void> {
  for (const link of links) {
    for (let times = 0; times < 2; times++) {
      const renewed = (await keep(link.app.refresh(link.refresh))).is(200);
      link.refresh = renewed.string('refresh_token');
      link.api.push(world.bearer(renewed.string('access_token')));
      await keep(link.api.at(-1)!.get('/api/v1/me'));
    }
    const events = world.bearer(link.app.registered.key);
    const after = String((await keep(events.get('/api/v1/events?limit=500'))).get('next_after'));
    const { id } = link.app.registered;
    await world.fixtures.changeExtension(id, { scopes: linkScopes.filter((scope) => scope !== 'read:clock_states') });
    await keep(link.api.at(-1)!.get('/api/v1/clock/states'));
    await world.fixtures.showExtension(id);
    await world.fixtures.listLinks(link.person.session);
    const me = await keep(link.api.at(-1)!.get('/api/v1/me'));
    if (link === links[0]) await keep(link.app.revoke(link.refresh));
    else await world.fixtures.endLink(link.person.session, String(at(me.json, 'link.id')));
    for (const token of link.api) await keep(token.get('/api/v1/me'));
    await keep(link.app.refresh(link.refresh));
    await keep(events.get(`/api/v1/events?after=${after}&limit=500`));
    await world.fixtures.removeExtension(id);
    await keep(events.get('/api/v1/events?limit=1'));
  }
}

/** A key is replaced, and the one before it ends. */
export async function rotate(world: World, keep: Keep): Promise<void> {
  const extension = await world.newExtension();
  const fresh = world.bearer(await world.fixtures.rotateKey(extension.id));
  await world.fixtures.showExtension(extension.id);
  await world.fixtures.endOldKey(extension.id);
  for (const api of [extension.api, fresh]) await keep(api.get('/api/v1/companies'));
}
