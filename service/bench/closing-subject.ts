/**
 * The process that closes months: the service, and a company that has worked through some. Prints one JSON line with
 * the data for the load, then follows messages and sends back the durations: `closing-subject.js PEOPLE`.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { isPostgres } from '@clockproof/platform/database/postgres';
import { silentLog } from '@clockproof/platform/log';
import { median } from '@clockproof/platform/testing/bench';
import { hour, minute, parseInstant } from '@clockproof/platform/time/instant';
import { addDays, lastDayOf, startOfDay } from '@clockproof/platform/time/local-date';
import { readConfig } from '../src/config.js';
import { listAnchorsOf } from '../src/proofs/anchor-rows.js';
import { closeCompanyMonth } from '../src/proofs/close-month.js';
import { slotsBeside } from '../src/proofs/month-proof.js';
import { readProofFile } from '../src/proofs/proof-file.js';
import { findLeafOfPerson, listLeaves, listRevisions } from '../src/proofs/rows.js';
import { startService } from '../src/service.js';
import { berlin } from '../test/zones.js';
import { addWorkers } from './company.js';

export type Order =
  | { readonly what: 'close'; readonly month: string }
  | { readonly what: 'files'; readonly month: string }
  | { readonly what: 'stored' };

/** The duration of an order, in milliseconds, or the size of the stored data, in bytes. */
export interface Report {
  readonly ours: number;
  readonly ceiling: number;
}

const months = ['2026-05', '2026-06', '2026-07', '2026-08', '2026-09', '2026-10'];
const now = parseInstant('2026-11-21T09:00:00Z')!;
const samples = 40;

const config = readConfig({ ...process.env, LISTEN_ADDR: '127.0.0.1:0', RATE_API_PER_MINUTE: '1000000' });
const service = await startService({ config, log: silentLog, clock: () => now });
const { db } = service;
const company = await addWorkers(db, Number(process.argv[2]), parseInstant('2026-05-01T08:00:00Z'));

// Eight hours and a break on every working day.
await db.write(async (tx) => {
  for (let date = `${months[0]!}-01`; date <= lastDayOf(months.at(-1)!); date = addDays(date, 1)) {
    if ([0, 6].includes(new Date(date).getUTCDay())) continue;
    const start = startOfDay(date, berlin) + 8 * hour;
    const breaks = JSON.stringify([[start + 4 * hour, start + 4 * hour + 30 * minute]]);
    await tx.run(
      `INSERT INTO time_entries (company_id, person_id, date, start_at, end_at, breaks, status, source_kind, source_id, source_name, created_at, updated_at, changed)
       SELECT company_id, id, :date, :start, :end + (id % 60) * ${minute}, :breaks, 'recorded', 'extension', 'ext_1', 'Clock', :start, :start, 0 FROM people`,
      { date, start, end: start + 8.5 * hour, breaks },
    );
  }
});
if (isPostgres(db.dialect)) await db.all('ANALYZE');

async function close(month: string): Promise<Report> {
  const startedAt = performance.now();
  await service.store.write({ actor: { kind: 'system' }, at: now }, (write) =>
    closeCompanyMonth(write, { companyId: company.companyId, month }),
  );
  return { ours: performance.now() - startedAt, ceiling: 0 };
}

/** The file of a person, beside its rows alone. */
async function makeFiles(period: string): Promise<Report> {
  const times = { ours: [] as number[], ceiling: [] as number[] };
  const time = async (kind: keyof typeof times, make: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await make();
    times[kind].push(performance.now() - startedAt);
  };
  for (const personId of company.people.slice(0, samples)) {
    await time('ours', async () => JSON.stringify(await readProofFile(db, { personId, period })));
    await time('ceiling', () => readRowsOfFile(db, personId, period));
  }
  return { ours: median(times.ours.slice(5)), ceiling: median(times.ceiling.slice(5)) };
}

async function readRowsOfFile(reader: Reader, personId: number, period: string): Promise<void> {
  const leaf = (await findLeafOfPerson(reader, { personId, period }))!;
  const id = leaf.commitment_id;
  await listLeaves(reader, {
    commitmentId: id,
    ...slotsBeside(leaf.slot, Buffer.from(leaf.upper_nodes!, 'base64')),
  });
  await listAnchorsOf(reader, id);
  await listRevisions(reader, { companyId: company.companyId, month: period });
}

/** A month of a person: the columns of their leaf, beside the rows that closing stores in any case. */
async function measureStored(): Promise<Report> {
  const average = async (table: string, columns: readonly string[]) =>
    (await db.get<{ size: number }>(
      `SELECT avg(${columns.map((column) => `length(CAST(${column} AS TEXT))`).join(' + ')}) AS size FROM ${table}`,
    ))!.size;
  return {
    ours: await average('commitment_leaves', ['commitment_id', 'slot', 'leaf', 'person_id', 'parts']),
    ceiling: await average('month_balances', ['company_id', 'month', 'person_id', 'days', 'payroll']),
  };
}

const doOrder = (order: Order): Promise<Report> =>
  order.what === 'close' ? close(order.month) : order.what === 'files' ? makeFiles(order.month) : measureStored();

process.on('message', (order: Order) => void doOrder(order).then((report) => process.send!(report)));
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
console.log(
  JSON.stringify({ months, key: company.key, people: company.people, port: Number(new URL(service.url).port) }),
);
