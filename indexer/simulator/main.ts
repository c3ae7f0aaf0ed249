/**
 * The simulated ledger as a process, for demonstrations and benches: a node on the real GraphQL schema, some proofs to
 * begin with, more that keep arriving, and `POST /anchor` to write one. Listens on this machine only.
 *
 *   PORT             default 9120; 0 picks a free one
 *   DIALECT          iota (default) or sui
 *   SEED             of the demonstration's proofs, default 1
 *   DEMO_PROOFS      how many there are at the start, default 24
 *   PROOF_INTERVAL   milliseconds between two more, default 15000; 0 for none
 *   STATE_FILE       keeps what was anchored over a restart
 *   LATENCY          milliseconds that each answer takes, default 0
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Chain, createChain, proofFields } from './chain.js';
import { addressOf } from './encode.js';
import { createSimulatedNode } from './node.js';
import { createRandom } from './random.js';
import type { SimulatedDialect } from './schemas.js';

interface Anchored {
  readonly sender: string;
  readonly company_token: string;
  readonly period: string;
  readonly merkle_root: string;
}
/** A line of the state file: when the ledger began, or what was anchored in which checkpoint. */
type StateLine = { readonly began: number } | (Anchored & { readonly checkpoint: number });

const wantedPort = Number(process.env['PORT'] ?? '9120');
const dialect = dialectOf(process.env['DIALECT'] ?? 'iota');
const stateFile = process.env['STATE_FILE'];
const interval = Number(process.env['PROOF_INTERVAL'] ?? '15000');
const random = createRandom(Number(process.env['SEED'] ?? '1'));

const state =
  stateFile !== undefined && existsSync(stateFile)
    ? readFileSync(stateFile, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as StateLine)
    : [];
const stateLine = state.find((line) => 'began' in line);
const startTime = stateLine?.began ?? Date.now();
const secondsBefore = 60;

/**
 * One checkpoint a second since the ledger began, whether there are proofs or not. So a restart with the same state
 * file finds the ledger where it would be had it run on, and an index that has followed it misses nothing. Without a
 * state file it is another chain each time.
 */
let start = startTime - secondsBefore * 1_000;
const chain: Chain = createChain({
  name: 'demonstration',
  clock: () => start,
  ...(stateFile === undefined ? { genesis: `demonstration ${startTime}` } : {}),
});
const anchorPackage = chain.publish('anchor').address;
const anchor = addressOf('anchor');

const companies = ['ct_nordlicht', 'ct_suedwind'];
const demoProof = (index: number): Anchored => ({
  sender: anchor,
  company_token: companies[index % companies.length]!,
  period: `2026-${String(1 + (Math.floor(index / companies.length) % 10)).padStart(2, '0')}`,
  merkle_root: Buffer.from(random.bytes(32)).toString('hex'),
});

function write({ sender, company_token, period, merkle_root }: Anchored) {
  start += 1;
  const [transaction] = chain.append([
    {
      sender,
      called: anchorPackage,
      events: [
        { fields: proofFields({ companyToken: company_token, period, merkleRoot: Buffer.from(merkle_root, 'hex') }) },
      ],
    },
  ]);
  return {
    tx: transaction!.digest,
    event_sequence: 0,
    sender,
    package: anchorPackage,
    company_token,
    period,
    merkle_root,
    checkpoint: transaction!.checkpoint,
    ledger_time: new Date(chain.timeOf(transaction!.checkpoint)).toISOString(),
  };
}
type Written = ReturnType<typeof write>;

/** Empty checkpoints up to a number, or up to where the clock says the ledger is. */
function runOnTo(checkpoint: number): void {
  for (; chain.head < checkpoint; chain.append([]))
    start = Math.max(start, startTime + (chain.head + 1 - secondsBefore) * 1_000);
}
const checkpointByTime = () => secondsBefore + Math.floor((Date.now() - startTime) / 1_000);

const writtenProofs: Written[] = [];
for (let index = 0; index < Number(process.env['DEMO_PROOFS'] ?? '24'); index++)
  writtenProofs.push(write(demoProof(index)));
if (stateFile !== undefined && stateLine === undefined)
  appendFileSync(stateFile, `${JSON.stringify({ began: startTime } satisfies StateLine)}\n`);
for (const line of state) {
  if ('began' in line) continue;
  runOnTo(line.checkpoint - 1);
  writtenProofs.push(write(line));
}
runOnTo(checkpointByTime());

/**
 * The line of the state file is written before the checkpoint can be read, so that what a client has seen
 * survives.
 */
function keepAndWrite(proof: Anchored): Written {
  runOnTo(checkpointByTime());
  if (stateFile !== undefined)
    appendFileSync(stateFile, `${JSON.stringify({ ...proof, checkpoint: chain.head + 1 } satisfies StateLine)}\n`);
  const result = write(proof);
  writtenProofs.push(result);
  return result;
}

const node = createSimulatedNode(chain, {
  dialect,
  ...(process.env['LATENCY'] === undefined ? {} : { latency: Number(process.env['LATENCY']) }),
});

const server = createServer(
  (request, response) =>
    void serve(request, response).catch((error: unknown) => answer(response, 500, { error: String(error) })),
);
server.listen(wantedPort, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(
    `simulated ledger (${dialect}) on http://127.0.0.1:${port}/graphql, anchor package ${anchorPackage}, ${writtenProofs.length} proofs`,
  );
});
setInterval(() => runOnTo(checkpointByTime()), 1_000);
if (interval > 0) setInterval(() => keepAndWrite(demoProof(writtenProofs.length)), interval);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?')[0];
  if (path === '/graphql' && request.method === 'POST') {
    const result = await node.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: await bodyOf(request),
    });
    response.writeHead(result.status, { 'content-type': result.headers.get('content-type') ?? 'application/json' });
    return void response.end(await result.text());
  }
  if (path === '/' && request.method === 'GET')
    return answer(response, 200, {
      dialect,
      package: anchorPackage,
      sender: anchor,
      checkpoint: chain.head,
      proofs: writtenProofs.length,
    });
  if (path === '/anchored' && request.method === 'GET') return answer(response, 200, writtenProofs);
  if (path === '/anchor' && request.method === 'POST') {
    const proof = proofOf(await bodyOf(request));
    return proof === undefined
      ? answer(response, 400, { error: 'send { "sender"?, "company_token", "period", "merkle_root" (64 hex digits) }' })
      : answer(response, 201, keepAndWrite(proof));
  }
  answer(response, 404, { error: 'there is /graphql, /anchor and /anchored' });
}

function proofOf(text: string): Anchored | undefined {
  let value: Partial<Record<keyof Anchored, unknown>>;
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    return undefined;
  }
  const { sender = anchor, company_token, period, merkle_root } = value;
  if (
    typeof sender !== 'string' ||
    !/^0x[0-9a-f]{64}$/.test(sender) ||
    typeof company_token !== 'string' ||
    typeof period !== 'string' ||
    typeof merkle_root !== 'string' ||
    !/^[0-9a-fA-F]{64}$/.test(merkle_root)
  )
    return undefined;
  return { sender, company_token, period, merkle_root: merkle_root.toLowerCase() };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function dialectOf(word: string): SimulatedDialect {
  if (word !== 'iota' && word !== 'sui') throw new Error(`DIALECT: ${word} is neither iota nor sui`);
  return word === 'iota' ? 'flat' : 'ga';
}
