/** Steps that several requirements share. */
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Answer, Client, ensureOfDeployment } from '../kit/client.js';
import { at } from '../kit/json.js';
import { Breach, Inconclusive, NotArrived, Skipped } from '../kit/outcome.js';
import { type Extension, type Person, pause, type World } from '../kit/world.js';
import type { Delivery } from '../peers/receiver.js';
import { openSocket, type Socket } from '../peers/socket.js';
import type { Terminal } from '../peers/terminal.js';

export type Operation = 'in' | 'out' | 'break/start' | 'break/end';

export const clock = (api: Client, person: Pick<Person, 'id'>, operation: Operation, headers = {}): Promise<Answer> =>
  api.post(`/api/v1/clock/${operation}`, { user_id: person.id }, { headers });

/** Requests two days of vacation in a week of their own unless told otherwise. */
export async function absence(
  world: World,
  api: Client,
  person: Pick<Person, 'id'>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const { monday, wednesday } = world.week();
  return api.post('/api/v1/absences', {
    user_id: person.id,
    type: 'vacation',
    start_date: monday,
    end_date: wednesday,
    ...more,
  });
}

/** A company of its own with somebody whose months are tracked since the one before this, which `close` closes. */
export async function monthToClose(world: World) {
  const { id: company, today } = await world.newCompany('Closing');
  const [year, monthNow] = today().split('-').map(Number);
  const month = new Date(Date.UTC(year!, monthNow! - 2, 1)).toISOString().slice(0, 7);
  const start = `${month}-01`;
  const person = await world.newPerson({
    company_id: company,
    department_id: undefined,
    employment_start: start,
    tracked_from: start,
  });
  return { company, person, month, close: () => world.fixtures.closeMonth(company, month) };
}

/** Whether a delivery tells of this person: an endpoint gets the events of everybody in the company. */
export const about =
  ({ id }: Pick<Person, 'id'>, type = '') =>
  ({ body }: Pick<Delivery, 'body'>): boolean =>
    new RegExp(`"user_id"\\s*:\\s*${id}\\b`).test(String(body)) && String(body).includes(`"${type}`);

/** Events in the order of their first arrival, each once: a delivery may come again. */
export const deliveredBodies = (deliveries: readonly Delivery[]): readonly unknown[] => [
  ...new Map(
    deliveries.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(String(body)) as unknown]),
  ).values(),
];

/** Asks until it fits. @throws NotArrived it did not within the seconds */
export async function eventually<T>(ask: () => Promise<T | undefined>, subject: string, seconds = 15): Promise<T> {
  const until = Date.now() + seconds * 1_000;
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    if (Date.now() > until) throw new NotArrived(`${subject}: not within ${seconds} s`);
    await pause(200);
  }
}

/** Requests a minute that an answer names as the limit; 0 if it names none. */
export const quotaOf = (answer: Answer): number =>
  Number(/;q=(\d+)/.exec(answer.header('ratelimit-policy') ?? '')?.[1] ?? 0);

/** All rows of a list, page by page. */
export async function allRows(api: Client, path: string): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for (let cursor = ''; ; ) {
    const page = (await api.get(`${path}${path.includes('?') ? '&' : '?'}limit=500${cursor}`)).is(200);
    rows.push(...page.list('data'));
    if (page.get('has_more') !== true) return rows;
    cursor = `&cursor=${page.string('next_cursor')}`;
  }
}

/** Asks until a proof that was anchored shows. @throws Inconclusive the indexer completed no poll meanwhile */
export async function waitForIndexed<T>(world: World, ask: () => Promise<T | undefined>, subject: string): Promise<T> {
  const lastPoll = async () => (await world.indexer.get('/api/v1/status')).get('last_index_time');
  const pollBefore = await lastPoll();
  return await eventually(ask, subject, 70).catch(async (error: unknown) => {
    if ((await lastPoll()) === pollBefore)
      throw new Inconclusive(`${subject}: the indexer completed no poll meanwhile`);
    throw error;
  });
}

/** The event connection of an extension. @throws Breach the upgrade was refused */
export async function connect(world: World, extension: Extension, query = ''): Promise<Socket> {
  const connection = await openSocket(
    wsUrl(world, query),
    { authorization: `Bearer ${extension.key}` },
    judgeUpgrade(world),
    world.onTheWay,
  );
  if ('refused' in connection) throw new Breach(`the connection was refused with ${connection.refused}`);
  return connection;
}

/** Holds the answer to an upgrade against the documents. */
export const judgeUpgrade = (world: World) => (status: number, headers: IncomingHttpHeaders, text: string) => {
  const { upgrade: _, ...otherHeaders } = headers;
  const judgedHeaders = status === 101 ? headers : otherHeaders;
  const operation = world.contract.operationAt('service', 'GET', '/api/v1/extension/connect');
  ensureOfDeployment(world.contract, 'service', operation, new Answer('the upgrade', status, headers, text));
  if (operation !== undefined) world.contract.judge(operation, { status, headers: judgedHeaders, text });
};

export const wsUrl = (world: World, query = ''): string =>
  `${world.target.service.url.replace(/^http/, 'ws')}/api/v1/extension/connect${query}`;

/**
 * Every event after a position that the key may read, first to last. Like lists of changes it ends before the first that
 * is still being written: what was just done may show later.
 */
export async function pull(api: Client, after: string): Promise<readonly unknown[]> {
  return (await api.get(`/api/v1/events?after=${after}&limit=500`)).is(200).list('data');
}

/** The newest position of the events. */
export async function envelope(api: Client): Promise<string> {
  for (let from = ''; ; ) {
    const page = (await api.get(`/api/v1/events?${from}limit=500`)).is(200);
    const position = page.string('next_after');
    from = `after=${position}&`;
    if (page.get('has_more') !== true) return position;
  }
}

export const offline = (terminal: Terminal, stamps: readonly unknown[]): Promise<Answer> =>
  terminal.send('POST', '/api/v1/terminal/offline', { stamps });

/** The entry of a person that was changed last of those with this status. */
export function stampEntry(api: Client, person: Pick<Person, 'id'>, status = 'open'): Promise<unknown> {
  const since = new Date(Date.now() - 300_000).toISOString();
  const path = `/api/v1/time/entries?updated_since=${since}&user_id=${person.id}`;
  return eventually(
    async () =>
      (await api.get(path))
        .is(200)
        .list('data')
        .findLast((entry) => at(entry, 'status') === status),
    `the entry is listed and ${status}`,
  );
}

export async function leavesOf(api: Client, person: Pick<Person, 'id'>, since: string): Promise<readonly unknown[]> {
  const page = (await api.get(`/api/v1/time/leaves?updated_since=${since}&user_id=${person.id}&limit=500`)).is(200);
  return page.list('data').filter((leave) => at(leave, 'user_id') === person.id);
}

/** Anchors a proof on a ledger that takes them (the demo's does). @throws Skipped it does not */
export async function anchor(world: World, more: Readonly<Record<string, string>> = {}): Promise<unknown> {
  if (world.target.ledger === undefined) throw new Skipped('the target names no ledger');
  const ledger = new Client(new URL(world.target.ledger.url).origin, undefined, undefined);
  const sender = world.target.proofs?.[0]?.sender;
  const answer = await ledger
    .post('/anchor', {
      sender,
      company_token: `ct_kit_${randomBytes(8).toString('hex')}`,
      period: '2026-10',
      merkle_root: randomBytes(32).toString('hex'),
      ...more,
    })
    .catch(() => undefined);
  if (answer === undefined || answer.status >= 300)
    throw new Skipped('the ledger takes no proofs from the kit (only a simulated one does)');
  return answer.json;
}
