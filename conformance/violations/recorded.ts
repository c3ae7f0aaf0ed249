/**
 * Judges the rows of `stateful.yaml` on a recording: the kit's walk runs once against the right deployment, and each row
 * then changes the answers that it was given, as the proxy would have. Seconds instead of hours; but what the kit would
 * have asked next does not follow from a changed answer, and rows that change requests have no hit.
 */

import { Answer, type Exchange } from '../kit/client.js';
import { type Arrival, type Doing, History } from '../kit/memory/history.js';
import { judge, type Recording } from '../kit/memory/memory.js';
import { allRequirements } from '../kit/requirements.js';
import { readContract, runIn } from '../kit/runner.js';
import type { Target } from '../kit/target.js';
import { World } from '../kit/world.js';
import { Commission, jsonOf } from './changes.js';
import { onTheWay } from './on-the-way.js';
import { statefulViolations } from './rows.js';

/**
 * @param whole records every suite, which takes a minute and makes each row slower
 * @returns how often the right deployment was accused
 */
export async function judgeRecorded(target: Target, only: readonly string[] = [''], whole = false): Promise<number> {
  const contract = await readContract(target);
  const world = new World(target, contract, 1, true);
  const everything = await allRequirements();
  await runIn(
    world,
    everything.filter(({ id, last }) => id === 'MEM-001' || (whole && last !== true)),
  );
  const { recording } = world.memory;
  const truth = new Set(judge(historyOf(recording), contract).map(({ what }) => what));
  for (const what of truth) console.log(`without a violation: ${what}`);
  const counts = { named: 0, missed: 0, 'no hit': 0 };
  for (const row of statefulViolations.filter(({ areas, does }) =>
    only.some((part) => areas.join(' ').includes(part) || does.includes(part)),
  )) {
    const commission = new Commission(row);
    const lies = judge(historyOf(recording, commission), contract).filter(({ what }) => !truth.has(what));
    const mark = lies.length > 0 ? 'named' : commission.hits > 0 ? 'missed' : 'no hit';
    counts[mark] += 1;
    const kinds = [...new Set(lies.map(({ kind }) => kind))].join(', ');
    console.log(`${mark} ${row.areas.join(' ')}: ${row.does}: ${kinds || 'nothing'} (${commission.hits} hits)`);
  }
  console.log(`\n${counts.named} named, ${counts.missed} missed, ${counts['no hit']} without a hit`);
  await world.close();
  return truth.size;
}

function historyOf({ exchanges, doings, arrivals }: Recording, commission?: Commission): History {
  if (commission === undefined) return new History(exchanges, doings, arrivals);
  const changed = [...exchanges].sort((a, b) => a.from - b.from).map((exchange) => broken(commission, exchange));
  return new History(
    changed,
    doings.map((doing) => reread(doing, changed)),
    arrivals.flatMap((arrival) => arriving(commission, arrival)),
  );
}

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

/** What the adapter reads of lists comes from the changed answer. */
function reread(doing: Doing, exchanges: readonly Exchange[]): Doing {
  const page = { listAuditEntries: '/app/admin/audit', listDeliveries: '/deliveries' }[doing.operation];
  if (page === undefined) return doing;
  const read = exchanges.find(
    ({ path, from, until, answer }) =>
      path.includes(page) && answer?.status === 200 && from >= doing.from && until <= doing.until,
  );
  return read === undefined ? doing : { ...doing, result: read.answer?.get('data') };
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
