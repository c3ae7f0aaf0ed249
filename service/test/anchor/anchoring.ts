/**
 * The built anchor service between a service, two indexes over one simulated ledger, and a command. Every request goes
 * through one hub, which a test can stop at: a process is caught at a step and not at a moment. The test moves the clock
 * of service and ledger, so nothing waits.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseInstant } from '@clockproof/platform/time/instant';
import { nextMonth } from '@clockproof/platform/time/local-date';
import { proofFields } from '../../../indexer/simulator/chain.js';
import { addressOf } from '../../../indexer/simulator/encode.js';
import { createSimulatedNode } from '../../../indexer/simulator/node.js';
import { createGround, createHome, startIndex } from '../../../indexer/test/world.js';
import { closeMonth } from '../builders.js';
import { addApp } from '../linking.js';
import { createWorld, type World } from '../world.js';

const folder = fileURLToPath(new URL('../../', import.meta.url));
export const sender = addressOf('anchor');

export interface RunResult {
  /** null after kill -9. */
  readonly code: number | null;
  readonly output: string;
}

export interface HubRequest {
  /** Such as `POST /service/api/v1/commitments/1/claims`. */
  readonly line: string;
  /** Lets it through. */
  readonly forward: () => Promise<{ readonly status: number; readonly body: string }>;
  answer(status: number, body: string): void;
}

/** As the service lists it. */
export interface ListedCommitment {
  readonly company_token: string;
  readonly period: string;
  readonly merkle_root: string;
  readonly state: string;
  readonly anchors: readonly {
    readonly checks: readonly { readonly verdict: string; readonly checked_at: string }[];
  }[];
}

export interface Anchoring {
  readonly world: World;
  readonly url: string;
  /** Requests since the last reset, in order. */
  readonly lines: string[];
  /** Looks at each request first; true if it has taken care of it. */
  intercept: ((request: HubRequest) => Promise<boolean>) | undefined;
  /** Off: the indexes read nothing new. */
  indexesFollow: boolean;
  /** Another month is over and closed: another root. */
  closeMonth(): Promise<void>;
  commitments(): Promise<ListedCommitment[]>;
  anchors(): { readonly token: string; readonly period: string; readonly root: string }[];
  start(
    args?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): { readonly child: ChildProcess; readonly end: Promise<RunResult> };
  run(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunResult>;
  /** @returns ANCHOR_COMMAND for a program of Node; `write()` writes to the ledger and has the digest */
  command(body: string): string;
  close(): Promise<void>;
}

/** Nord's November is over and closed. */
export async function createAnchoring(): Promise<Anchoring> {
  const world = await createWorld('sqlite');
  world.set(parseInstant('2026-12-02T07:00:00Z')!);
  const clock = () => world.now();
  const { key } = await addApp(world, 'Anchor service', {
    companyId: world.nord,
    keyReads: 'everyone',
    linkable: false,
    redirectUris: [],
    scopes: ['read:commitments', 'write:anchors'],
  });
  const ground = createGround(1, 'anchoring', clock);
  const homes = [await createHome('sqlite'), await createHome('sqlite')];
  const node = createSimulatedNode(ground.chain, { dialect: 'flat' });
  const indexes = await Promise.all(homes.map((home) => startIndex({ ground, home, node, clock })));
  const scripts = mkdtempSync(join(tmpdir(), 'clockproof-anchor-'));
  const children = new Set<ChildProcess>();
  let monthAfter = '2026-11';

  async function writeToLedger(request: IncomingMessage): Promise<string> {
    const proof = (await json(request)) as Record<'company_token' | 'period' | 'merkle_root', string>;
    const { company_token: companyToken, period, merkle_root: root } = proof;
    const fields = proofFields({ companyToken, period, merkleRoot: Buffer.from(root, 'hex') });
    const [transaction] = ground.chain.append([{ sender, called: ground.package, events: [{ fields }] }]);
    return JSON.stringify({ tx: transaction!.digest });
  }

  async function forward(request: IncomingMessage): Promise<{ readonly status: number; readonly body: string }> {
    const [, place, rest] = /^\/(service|index-0|index-1|ledger)(\/.*)$/.exec(request.url!)!;
    if (place === 'ledger') return { status: 201, body: await writeToLedger(request) };
    const index = place === 'service' ? undefined : indexes[Number(place!.at(-1))]!.indexer;
    if (index !== undefined && rest === '/api/v1/status' && anchoring.indexesFollow) {
      ground.chain.append([]);
      await index.follower.pass();
    }
    const body = request.method === 'POST' ? await text(request) : undefined;
    const response = await fetch(`${index?.url ?? world.url}${rest}`, {
      method: request.method!,
      headers: {
        ...(request.headers.authorization === undefined ? {} : { authorization: request.headers.authorization }),
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, body: await response.text() };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method} ${request.url}`;
    anchoring.lines.push(line);
    const answer = (status: number, body: string) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    const hubRequest = { line, forward: () => forward(request), answer };
    if ((await anchoring.intercept?.(hubRequest)) === true) return;
    const { status, body } = await forward(request);
    answer(status, body);
  }

  const hub = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  }).listen(0, '127.0.0.1');
  await once(hub, 'listening');
  const url = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;

  const anchoring: Anchoring = {
    url,
    lines: [],
    world,
    intercept: undefined,
    indexesFollow: true,
    async closeMonth() {
      const month = monthAfter;
      monthAfter = nextMonth(month);
      world.set(parseInstant(`${monthAfter}-02T07:00:00Z`)!);
      await closeMonth(world, { month });
    },
    async commitments() {
      const { body } = await world.call('GET', '/api/v1/commitments', { key });
      return body['data'] as ListedCommitment[];
    },
    anchors: () =>
      ground.chain.events(ground.package).map(({ fields: [token, period, root] }) => {
        if (token?.type !== 'string' || period?.type !== 'string' || root?.type !== 'bytes')
          throw new Error('not ours');
        return { token: token.text, period: period.text, root: Buffer.from(root.bytes).toString('hex') };
      }),
    start(args = ['--once'], env = {}) {
      const child = spawn(process.execPath, [join(folder, 'bin/clockproof-anchor.js'), ...args], {
        env: {
          PATH: process.env['PATH'] ?? '',
          SERVICE_URL: `${url}/service`,
          SERVICE_KEY: key,
          LEDGER_URLS: `${url}/index-0,${url}/index-1`,
          ANCHOR_COMMAND: `${process.execPath} ${join(folder, 'dist/demo/write-to-ledger.js')} ${url}/ledger`,
          ANCHOR_SENDER: sender,
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.add(child);
      const output = Promise.all([text(child.stdout), text(child.stderr)]);
      const end = once(child, 'close').then(async ([code]): Promise<RunResult> => {
        children.delete(child);
        return { code: code as number | null, output: (await output).join('') };
      });
      return { child, end };
    },
    run: (args, env) => anchoring.start(args, env).end,
    command(body) {
      const file = join(scripts, `${Math.abs(hashOf(body))}.mjs`);
      writeFileSync(
        file,
        `const [company_token, period, merkle_root] = process.argv.slice(2);
        const write = async () => {
          const body = JSON.stringify({ company_token, period, merkle_root });
          return (await (await fetch('${url}/ledger/anchor', { method: 'POST', body })).json()).tx;
        };
        ${body}`,
      );
      return `${process.execPath} ${file}`;
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      hub.closeAllConnections();
      hub.close();
      for (const index of indexes) await index.close();
      for (const home of homes) await home.close();
      await world.close();
      rmSync(scripts, { recursive: true });
    },
  };
  await anchoring.closeMonth();
  return anchoring;
}

const hashOf = (words: string): number =>
  [...words].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) | 0, 7);
