/**
 * Judges the rows of `stateful.yaml` on a recording: the kit's walk runs once against the right deployment, and each row
 * then changes the answers that it was given, as the proxy would have. Seconds instead of hours; but what the kit would
 * have asked next does not follow from a changed answer, and rows that change requests have no hit.
 */

import { inSession } from '../adapters/clockproof.js';
import { Answer, Client, type Exchange } from '../kit/client.js';
import { type Arrival, type Doing, History } from '../kit/memory/history.js';
import { judge, type Recording } from '../kit/memory/memory.js';
import { Refused } from '../kit/outcome.js';
import { allRequirements } from '../kit/requirements.js';
import { readContract, runIn } from '../kit/runner.js';
import type { Target } from '../kit/target.js';
import { World } from '../kit/world.js';
import { Browser } from '../peers/browser.js';
import { Commission, jsonOf } from './changes.js';
import { onTheWay } from './on-the-way.js';
import type { StatefulViolation } from './rows.js';

export interface Recorded {
  /** How often the right deployment was accused. */
  readonly accused: number;
  /** Rows that nothing in the recording shows. */
  readonly unnamed: readonly StatefulViolation[];
}

export async function judgeRecorded(target: Target, rows: readonly StatefulViolation[]): Promise<Recorded> {
  const contract = await readContract(target);
  const world = new World(target, contract, 1, true);
  const everything = await allRequirements();
  await runIn(
    world,
    everything.filter(({ id }) => id === 'MEM-001'),
  );
  const { recording } = world.memory;
  const truth = new Set(judge(await historyOf(target, recording), contract).map(({ what }) => what));
  for (const what of truth) console.log(`without a violation: ${what}`);
  const unnamed: StatefulViolation[] = [];
  for (const row of rows) {
    const commission = new Commission(row);
    const history = await historyOf(target, recording, row, commission);
    const lies = judge(history, contract).filter(({ what }) => !truth.has(what));
    if (lies.length === 0) unnamed.push(row);
    const mark = lies.length > 0 ? 'named ' : commission.hits > 0 ? 'MISSED' : 'no hit';
    const kinds = [...new Set(lies.map(({ kind }) => kind))].join(', ');
    console.log(`${mark} ${row.areas.join(' ')}: ${row.does}: ${kinds || 'nothing'} (${commission.hits} hits)`);
  }
  console.log(`\non a recording: ${rows.length - unnamed.length} of ${rows.length} named`);
  await world.close();
  return { accused: truth.size, unnamed };
}

async function historyOf(
  target: Target,
  recording: Recording,
  row?: StatefulViolation,
  commission?: Commission,
): Promise<History> {
  const { exchanges, doings, arrivals } = recording;
  if (commission === undefined) return new History(exchanges, doings, arrivals);
  // As behind two proxies: what the indexer does wrong, the service does not.
  const ofIndexer = row?.areas.includes('indexer') === true;
  const changed = [...exchanges]
    .sort((a, b) => a.from - b.from)
    .map((exchange) => (isOfIndexer(exchange) === ofIndexer ? broken(commission, exchange) : exchange));
  return new History(
    changed,
    await Promise.all(doings.map((doing) => reread(target, doing, changed))),
    arrivals.flatMap((arrival) => arriving(commission, arrival)),
  );
}

/** Its status has the path of the service's. */
const isOfIndexer = ({ operation = '' }: Exchange): boolean =>
  ['getIndexerStatus', 'listProofs', 'listCompanyProofs', 'getProof', 'verifyTransaction'].includes(operation);

function broken(commission: Commission, exchange: Exchange): Exchange {
  const { method, path, headers, body, answer } = exchange;
  if (answer === undefined) return exchange;
  const form = headers['content-type']?.includes('urlencoded') === true && typeof body === 'object';
  const sent = Buffer.isBuffer(body)
    ? body.toString('latin1')
    : form
      ? new URLSearchParams(body as Record<string, string>).toString()
      : typeof body === 'string'
        ? body
        : (JSON.stringify(body) ?? '');
  const request = { method, path, headers: { ...headers }, status: 0, body: sent };
  const message = {
    method,
    path,
    headers: { ...answer.headers } as Record<string, string>,
    status: answer.status,
    body: Buffer.from(answer.text).toString('latin1'),
  };
  const end = commission.begin(request);
  commission.see(request, message);
  if (end === undefined || !commission.concerns(message)) return exchange;
  end(message);
  const text = Buffer.from(message.body, 'latin1').toString();
  return { ...exchange, answer: new Answer(answer.request, message.status, message.headers, text) };
}

/** Answers as they were recorded, in their order; nothing is sent. */
class Replayed extends Client {
  readonly #left: Exchange[];

  constructor(exchanges: readonly Exchange[]) {
    super('http://recorded', undefined, undefined);
    this.#left = [...exchanges];
  }

  override with(): Client {
    return this;
  }

  override async call(method: string, path: string): Promise<Answer> {
    const index = this.#left.findIndex((one) => one.method === method && pathOf(one.path) === pathOf(path));
    const [found] = index < 0 ? [] : this.#left.splice(index, 1);
    if (found?.answer === undefined) throw new Error(`${method} ${path} was not recorded`);
    return found.answer;
  }
}

/** Without the query, which names the days of the recording. */
const pathOf = (path: string) => path.split('?')[0];

/** What the adapter only read is read again, from the changed answers. */
async function reread(target: Target, doing: Doing, exchanges: readonly Exchange[]): Promise<Doing> {
  const { operation, given, from, until } = doing;
  if (doing.result === undefined || !/^(list|show|read|approve|changeExtension)/.test(operation)) return doing;
  const within = exchanges.filter((one) => one.path.startsWith('/app/') && one.from >= from && one.until <= until);
  const replayed = new Replayed(within);
  const adapter = await inSession(async () => 'recorded')(target, { connect: () => replayed, Refused });
  const session = adapter.pages?.newBrowser();
  const own = adapter[operation as 'showTerminal'] as (...given: unknown[]) => Promise<unknown>;
  try {
    return { ...doing, result: (await own(...given.map((one) => (one instanceof Browser ? session : one)))) ?? null };
  } catch {
    return { ...doing, result: undefined };
  }
}

function arriving(commission: Commission, arrival: Arrival): readonly Arrival[] {
  const { delivery, message } = onTheWay(commission);
  const { connection, event, from, extensionId } = arrival;
  if (connection !== undefined)
    return (message?.({ type: 'event', event }) ?? [{ event }]).map((one) => ({ ...arrival, event: one['event'] }));
  const headers = { host: extensionId };
  const sent = { at: from, method: 'POST', path: '/hook', headers, body: Buffer.from(JSON.stringify(event)) };
  return (delivery?.(sent) ?? [sent]).map(({ body }) => ({ ...arrival, event: jsonOf(String(body)) }));
}
