/** The programs beside the service: a simulated ledger, the indexer that follows it, and the service's own start. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog } from '@clockproof/platform/log';
import { readConfig } from '../src/config.js';
import { type Service, startService } from '../src/service.js';
import type { Ports } from './options.js';
import { start } from './processes.js';
import { json } from './stage/anchoring.js';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface Ledger {
  readonly url: string;
  readonly graphqlUrl: string;
  readonly anchorPackage: string;
  /** The address that anchors. */
  readonly sender: string;
}

export async function startLedger(data: string, port: number): Promise<Ledger> {
  const url = `http://127.0.0.1:${port}`;
  const ledger = start(
    'ledger',
    join(repository, 'indexer/dist/simulator/main.js'),
    [],
    { PORT: String(port), STATE_FILE: join(data, 'ledger.jsonl') },
    join(data, 'ledger.log'),
  );
  await ledger.line(/anchor package (0x[0-9a-f]+)/);
  const state = (await json(`${url}/`)) as { package: string; sender: string };
  return { url, graphqlUrl: `${url}/graphql`, anchorPackage: state.package, sender: state.sender };
}

/** @returns the address of the indexer */
export async function startIndexer(data: string, port: number, ledger: Ledger): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const indexer = start(
    'indexer',
    join(repository, 'indexer/dist/src/main.js'),
    [],
    {
      ACCEPT_TERMS: 'true',
      CHAIN_ANCHOR_PACKAGE: ledger.anchorPackage,
      CHAIN_NETWORK: 'devnet',
      CHAIN_GRAPHQL_URL: ledger.graphqlUrl,
      DB_DSN: join(data, 'indexer.sqlite'),
      LISTEN_ADDR: `127.0.0.1:${port}`,
      BASE_URL: url,
      POLL_INTERVAL: '2s',
      RATE_IP_PER_MINUTE: '600',
    },
    join(data, 'indexer.log'),
  );
  await indexer.line(/"listening"/);
  return url;
}

/** The service in this process. @param database a PostgreSQL in place of a file under `data` */
export function startDemoService(data: string, ports: Ports, database: string | undefined): Promise<Service> {
  const config = readConfig({
    LISTEN_ADDR: `127.0.0.1:${ports.listen}`,
    ...(ports.listen === ports.service ? {} : { TRUSTED_PROXIES: '127.0.0.1' }),
    BASE_URL: `http://localhost:${ports.service}`,
    ...(database === undefined
      ? { DB_DSN: join(data, 'service.sqlite') }
      : { DB_DRIVER: 'postgres', DB_DSN: database }),
    DATA_KEY: dataKeyIn(data),
    RATE_IP_PER_MINUTE: '600',
    // A real installation names its operator.
    SECURITY_CONTACT: 'mailto:security@nordlicht-logistik.example',
    // The demo's receiver of webhooks is on this machine.
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  });
  const logFile = join(data, 'service.log');
  const log = createLog('info', 'service', { write: (line) => writeFileSync(logFile, line, { flag: 'a' }) });
  return startService({ config, log });
}

function dataKeyIn(data: string): string {
  const file = join(data, 'data.key');
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}
