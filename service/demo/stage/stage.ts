/**
 * The demo page: one stamp in four places, side by side. It shows what the product answers – the door's reader, a
 * person's own overview, a supervisor's lists, the event list, a webhook, the verification service – and has no other
 * source. On the loopback address only, and for its own page only.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { ZoneName } from '@clockproof/platform/time/zone';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { Service } from '../../src/service.js';
import type { PersonId } from '../../src/store/ids.js';
import type { Running } from '../processes.js';
import type { Target } from '../target.js';
import { type Anchoring, anchor, json } from './anchoring.js';
import { receive } from './receiver.js';
import type { Door, Scene } from './scene.js';
import { createSignInLinks } from './sign-in-links.js';
import { type Api, appApi, readPhone, readSupervisor } from './views.js';

export interface StageNeeds {
  readonly port: number;
  readonly service: Service;
  readonly serviceUrl: string;
  readonly readerUrl: string;
  readonly target: () => Target;
  readonly anchoring: Anchoring;
  readonly door: Pick<Door, 'terminal' | 'badges' | 'tricks'>;
  readonly timeZone: ZoneName;
  /** Where the built page lies. */
  readonly pageFolder: string;
}

export interface Stage extends Pick<Running, 'stop'> {
  readonly url: string;
  /** The address that signs a person in once. */
  signInLink(personId: PersonId): string;
  /** Follows the events after this position. */
  follow(position: string): Promise<void>;
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type Event = {
  id: string;
  type: string;
  sequence: number;
  timestamp: string;
  data: { clock_state?: { user_id: number } };
};

export async function openStage(needs: StageNeeds): Promise<Stage> {
  const { service, serviceUrl, readerUrl, target, timeZone } = needs;
  const url = `http://localhost:${needs.port}`;
  const links = createSignInLinks(service.store, randomBytes, Date.now);
  const company = target().companies[0]!;
  const supervisor = company.users.find((user) => user.role === 'company_admin')!;
  const payroll = target().extensions.find((extension) => extension.webhook_secret !== null);
  const { key } = target().extensions.find((extension) => extension.acting === 'everyone')!;

  const sessions = new Map<PersonId, Promise<Api>>();
  const as = (personId: PersonId): Promise<Api> => {
    const known = sessions.get(personId) ?? links.open(personId).then((token) => appApi(serviceUrl, token));
    sessions.set(personId, known);
    return known;
  };

  let followed: PersonId = needs.door.badges[0]!.person_id;
  let door: Door = needs.door;
  let developer: Scene['developer'] = { events: [], anchoring: false };
  let stamp: Scene['stamp'];
  let began = 0;
  let events: Event[] = [];
  let after = '';

  // ---- what the page sees
  const watchers = new Set<Response>();
  let phone: Scene['phone'];
  let team: Scene['supervisor'];
  const scene = (): Scene => ({
    now: new Date().toISOString(),
    company: company.name,
    time_zone: timeZone,
    door,
    phone,
    supervisor: team,
    developer,
    ...(stamp === undefined ? {} : { stamp }),
  });
  const tell = () => {
    const text = `data: ${JSON.stringify(scene())}\n\n`;
    for (const watcher of watchers) watcher.write(text);
  };
  const passed = (place: 'phone' | 'supervisor' | 'developer') => {
    if (stamp !== undefined && stamp[place] === undefined) stamp = { ...stamp, [place]: Date.now() - began };
  };
  const refreshPhone = async () => {
    phone = await readPhone(await as(followed), followed, timeZone);
    tell();
  };
  const refreshTeam = async () => {
    team = await readSupervisor(await as(supervisor.id), `${supervisor.first_name}`, followed);
    tell();
  };

  // ---- events, as an integration pulls them
  const stopping = new AbortController();
  const pull = async (wait: number): Promise<Event[]> => {
    const response = await fetch(`${serviceUrl}/api/v1/events?after=${after}&limit=500&wait=${wait}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: stopping.signal,
    });
    if (!response.ok) throw new Error(`/api/v1/events answers ${response.status}`);
    const page = (await response.json()) as { data: Event[]; next_after: string; has_more: boolean };
    after = page.next_after;
    return page.has_more ? [...page.data, ...(await pull(0))] : page.data;
  };
  const take = async (some: readonly Event[]) => {
    events = [...events, ...some];
    const newest = events.slice(-4).reverse();
    developer = {
      ...developer,
      events: newest.map(({ sequence, type, timestamp, data }) => ({ sequence, type, at: timestamp, data })),
    };
    const own = some.find((event) => event.data.clock_state?.user_id === stamp?.person_id);
    if (own !== undefined && stamp !== undefined && stamp.sequence === undefined)
      stamp = { ...stamp, sequence: own.sequence };
    tell();
    await refreshPhone();
    passed('phone');
    await refreshTeam();
    passed('supervisor');
    tell();
  };
  let following: Promise<void> = Promise.resolve();
  const followEvents = async () => {
    while (!stopping.signal.aborted) {
      try {
        const some = await pull(25);
        if (some.length > 0) await take(some);
      } catch {
        if (!stopping.signal.aborted) await new Promise((next) => setTimeout(next, 1_000));
      }
    }
  };

  // ---- what the page asks for
  /** In, a break, its end, out: four badges tell a whole day. */
  const nextAction = () => {
    if (phone.state === 'out') return 'in';
    if (phone.state === 'on_break') return 'break_end';
    return phone.stamps[0]?.action === 'break_end' ? 'out' : 'break_start';
  };
  const present = async (card: string, kind: string | undefined) => {
    if (door.held !== undefined) return;
    const trick = door.tricks.find((one) => one.trick === kind);
    const { last: _, ...empty } = door;
    door = { ...empty, held: card };
    stamp = undefined;
    const sound = trick === undefined || trick.stamps === true;
    const badge = sound ? door.badges.find((one) => one.card === card) : undefined;
    if (badge !== undefined && badge.person_id !== followed) {
      followed = badge.person_id;
      await Promise.all([refreshPhone(), refreshTeam()]);
    }
    began = Date.now();
    if (badge !== undefined) stamp = { person_id: badge.person_id, door: 0 };
    tell();
    const outcome = (await json(`${readerUrl}/`, {
      present: card,
      ...(badge === undefined ? {} : { action: nextAction() }),
      ...(trick?.fault === undefined ? {} : { fault: trick.fault }),
      wait: true,
      // Nothing can be repeated that was never said.
    }).catch(() => ({ outcome: 'not held' }))) as Record<string, string>;
    const stamped = outcome['outcome'] === 'stamped';
    const refused = outcome['outcome'] === 'refused';
    stamp = stamped && stamp !== undefined ? { ...stamp, door: Date.now() - began } : undefined;
    door = {
      ...door,
      last: {
        card,
        ...(trick === undefined ? {} : { trick: trick.trick }),
        outcome: stamped ? 'stamped' : refused ? 'refused' : 'nothing',
        at: new Date().toISOString(),
        text: outcome['text'] ?? '',
        ...(stamped ? { first_name: outcome['first_name'] ?? '', action: outcome['action'] ?? '' } : {}),
      },
    };
    tell();
    await json(`${readerUrl}/`, { remove: true });
    const { held: __, ...free } = door;
    door = free;
    tell();
  };
  const anchorNow = async () => {
    if (developer.anchoring || events.length === 0) return;
    developer = { ...developer, anchoring: true };
    tell();
    const anchored = events;
    const { proof, root, verdict } = await anchor(needs.anchoring, anchored, new Date().toISOString().slice(0, 10));
    developer = {
      ...developer,
      anchoring: false,
      proof: { root, tx: proof.tx, verdict, events: anchored.length, up_to: anchored.at(-1)!.sequence },
    };
    tell();
  };

  // ---- the server
  const site = express();
  site.disable('x-powered-by');
  site.post('/webhooks', express.text({ type: () => true }), (request, response) => {
    const received = receive(payroll!.name, payroll!.webhook_secret!, request.headers, String(request.body));
    developer = { ...developer, webhook: received };
    if (received.valid) passed('developer');
    tell();
    response.status(received.valid ? 204 : 401).end();
  });
  site.use((request: Request, response: Response, next: NextFunction) => {
    response.set({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    // Another page in the same browser, also one whose name leads here, may not touch the demo.
    const { host, origin } = request.headers;
    const foreign = host !== new URL(url).host || (request.method !== 'GET' && origin !== url);
    if (foreign) response.status(403).end();
    else next();
  });
  site.get('/sign-in/:link', async (request, response) => {
    const token = await links.redeem(request.params['link'], request.headers['user-agent']);
    if (token === undefined) {
      response.status(410).type('text/plain').send('This link has been used. The demo page makes new ones.\n');
      return;
    }
    response.set('set-cookie', `session=${token}; Path=/; HttpOnly; SameSite=Lax`).redirect(303, `${serviceUrl}/`);
  });
  site.get('/scene', (_, response) => {
    response.set({ 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(scene())}\n\n`);
    watchers.add(response);
    response.on('close', () => watchers.delete(response));
  });
  const asks: Readonly<Record<string, (body: Readonly<Record<string, string>>) => Promise<unknown>>> = {
    present: ({ card, trick }) => present(String(card), trick),
    clock: async ({ action }) => (await as(followed)).post(`/app/me/clock/${clockPaths[String(action)]}`),
    approve: async ({ id }) => (await as(supervisor.id)).post(`/app/approvals/${String(id)}/approve`, {}),
    reject: async ({ id, comment }) =>
      (await as(supervisor.id)).post(`/app/approvals/${String(id)}/reject`, { comment: String(comment) }),
    anchor: anchorNow,
  };
  site.post('/ask/:what', express.json(), async (request, response) => {
    const ask = asks[request.params['what']];
    if (ask === undefined) return void response.status(404).end();
    try {
      await ask((request.body ?? {}) as Record<string, string>);
      if (request.params['what'] !== 'present') await Promise.all([refreshPhone(), refreshTeam()]);
      response.status(204).end();
    } catch (error) {
      response.status(409).json({ error: error instanceof Error ? error.message : String(error) });
    }
  });
  site.post('/links', (_, response) => {
    response.json(
      company.users.map(({ id, first_name: firstName, role }) => ({
        first_name: firstName,
        role,
        url: `${url}/sign-in/${links.issue(id)}`,
      })),
    );
  });
  site.get('/demo', (_, response) => response.redirect('/'));
  if (existsSync(needs.pageFolder)) site.use(express.static(needs.pageFolder));
  const server = createServer(site);
  server.listen(needs.port, '127.0.0.1');
  await once(server, 'listening');

  return {
    url,
    signInLink: (personId) => `${url}/sign-in/${links.issue(personId)}`,
    async follow(position) {
      after = position;
      await take(await pull(0));
      following = followEvents();
    },
    async stop() {
      stopping.abort();
      for (const watcher of watchers) watcher.end();
      await following;
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const clockPaths: Readonly<Record<string, string>> = {
  in: 'in',
  out: 'out',
  break_start: 'break/start',
  break_end: 'break/end',
};
