/**
 * The demo page: one stamp in four places, side by side. It shows the product's answers – the door's reader, a person's
 * own overview, a supervisor's lists, the event list, a webhook, the verification service – and has no other source.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ZoneName } from '@clockproof/platform/time/zone';
import type { Service } from '../../src/service.js';
import type { PersonId } from '../../src/store/ids.js';
import type { Running } from '../processes.js';
import type { Target } from '../target.js';
import { anchorEvents, presentCard } from './acts.js';
import type { Anchoring } from './anchoring.js';
import { createEventFeed, type StageEvent } from './events.js';
import { createAudience, noteArrival, type Play } from './play.js';
import { receive } from './receiver.js';
import type { Door } from './scene.js';
import { createSignInLinks, type SignInLinks } from './sign-in-links.js';
import { createSite } from './site.js';
import { type Api, appApi, readPhone, readSupervisor } from './views.js';

export interface StageNeeds {
  readonly port: number;
  readonly service: Service;
  readonly serviceUrl: string;
  readonly readerUrl: string;
  readonly target: Target;
  readonly anchoring: Anchoring;
  readonly door: Pick<Door, 'terminal' | 'badges' | 'tricks'>;
  readonly timeZone: ZoneName;
  /** The folder of the built page. */
  readonly pageFolder: string;
}

export interface Stage extends Pick<Running, 'stop'> {
  readonly url: string;
  /** The address that signs a person in once. */
  signInLink(personId: PersonId): string;
  /** Follows the events after this position. */
  follow(position: string): Promise<void>;
}

export async function openStage(needs: StageNeeds): Promise<Stage> {
  const { serviceUrl, target, timeZone } = needs;
  const url = `http://localhost:${needs.port}`;
  const links = createSignInLinks(needs.service.store, randomBytes, Date.now);
  const company = target.companies[0]!;
  const supervisor = company.users.find((user) => user.role === 'company_admin')!;
  const payroll = target.extensions.find((extension) => extension.webhook_secret !== null)!;
  const { key } = target.extensions.find((extension) => extension.acting === 'everyone')!;
  const apiOf = createSessions(links, serviceUrl);

  const play: Play = {
    followed: needs.door.badges[0]!.person_id,
    door: needs.door,
    developer: { events: [], anchoring: false },
    presentedAt: 0,
    events: [],
  };
  const audience = createAudience(play, company.name, timeZone);
  const { tell } = audience;
  const refreshPhone = async () => {
    play.phone = await readPhone(await apiOf(play.followed), play.followed, timeZone);
    tell();
  };
  const refreshSupervisor = async () => {
    play.supervisor = await readSupervisor(await apiOf(supervisor.id), supervisor.first_name, play.followed);
    tell();
  };
  const refresh = () => Promise.all([refreshPhone(), refreshSupervisor()]);
  const post = async (personId: PersonId, path: string, body?: object) => {
    await (await apiOf(personId)).post(path, body);
    await refresh();
  };
  const takeEvents = async (events: readonly StageEvent[]) => {
    showEvents(play, events);
    tell();
    await refreshPhone();
    noteArrival(play, 'phone');
    await refreshSupervisor();
    noteArrival(play, 'supervisor');
    tell();
  };

  const feed = createEventFeed(serviceUrl, key);
  const site = createSite({
    url,
    serviceUrl,
    pageFolder: needs.pageFolder,
    users: company.users,
    links,
    audience,
    receiveWebhook(headers, body) {
      const webhook = receive(payroll.name, payroll.webhook_secret!, headers, body);
      play.developer = { ...play.developer, webhook };
      if (webhook.valid) noteArrival(play, 'developer');
      tell();
      return webhook.valid;
    },
    acts: {
      present: ({ card, trick }) =>
        presentCard(play, needs.readerUrl, { card: String(card), kind: trick }, { tell, refresh }),
      clock: ({ action }) => post(play.followed, `/app/me/clock/${clockPaths[String(action)]}`),
      approve: ({ id }) => post(supervisor.id, `/app/approvals/${String(id)}/approve`, {}),
      reject: ({ id, comment }) =>
        post(supervisor.id, `/app/approvals/${String(id)}/reject`, { comment: String(comment) }),
      async anchor() {
        await anchorEvents(play, needs.anchoring, tell);
        await refresh();
      },
    },
  });
  const server = createServer(site);
  server.listen(needs.port, '127.0.0.1');
  await once(server, 'listening');

  return {
    url,
    signInLink: (personId) => `${url}/sign-in/${links.issue(personId)}`,
    follow: (position) => feed.follow(position, takeEvents),
    async stop() {
      const stopping = feed.stop();
      audience.close();
      await stopping;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @returns the pages' operations as a person, in one session each */
function createSessions(links: SignInLinks, serviceUrl: string): (personId: PersonId) => Promise<Api> {
  const sessions = new Map<PersonId, Promise<Api>>();
  return (personId) => {
    const session = sessions.get(personId) ?? links.open(personId).then((token) => appApi(serviceUrl, token));
    sessions.set(personId, session);
    return session;
  };
}

function showEvents(play: Play, events: readonly StageEvent[]): void {
  play.events = [...play.events, ...events];
  const newestEvents = play.events.slice(-4).reverse();
  play.developer = {
    ...play.developer,
    events: newestEvents.map(({ sequence, type, timestamp, data }) => ({ sequence, type, at: timestamp, data })),
  };
  const { stamp } = play;
  const stampEvent = events.find((event) => event.data.clock_state?.user_id === stamp?.person_id);
  if (stampEvent !== undefined && stamp !== undefined && stamp.sequence === undefined)
    play.stamp = { ...stamp, sequence: stampEvent.sequence };
}

const clockPaths: Readonly<Record<string, string>> = {
  in: 'in',
  out: 'out',
  break_start: 'break/start',
  break_end: 'break/end',
};
