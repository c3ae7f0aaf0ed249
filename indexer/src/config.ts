/**
 * Every setting of the index: meaning, default, form. Read once at start; the page of settings in the docs is made from
 * this list.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  ConfigurationFaults,
  duration,
  listenAddress,
  readSettings,
  setting,
  text,
  type Values,
  wholeNumber,
} from '@clockproof/platform/config/config';
import { cdnAddresses } from '@clockproof/platform/http/cdn-addresses';
import { type Network, NotANetwork, parseNetwork } from '@clockproof/platform/http/client-address';
import { securityContact } from '@clockproof/platform/http/security-txt';
import { z } from 'zod';
import { defaultEndpoints, normaliseAddress } from './ledger/identifiers.js';
import { packageFolder } from './package-folder.js';

const address = z.string().transform((value, context) => {
  const normal = normaliseAddress(value.trim());
  if (normal !== undefined) return normal;
  context.addIssue({ code: 'custom', message: 'must be an address: 0x and up to 64 hexadecimal digits' });
  return z.NEVER;
});

const addresses = z.string().transform((value, context) => {
  const parts = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const normal = parts.map(normaliseAddress);
  const invalidParts = parts.filter((_, index) => normal[index] === undefined);
  if (value !== '' && parts.length === 0) {
    context.addIssue({ code: 'custom', message: 'contains no address; leave it empty to index every sender' });
    return z.NEVER;
  }
  if (invalidParts.length > 0) {
    context.addIssue({ code: 'custom', message: `contains ${invalidParts.join(', ')}, which is no address` });
    return z.NEVER;
  }
  return [...new Set(normal as string[])].sort();
});

/** Anything longer than a day would look like an index that has stopped. */
const pollInterval = duration.refine((milliseconds) => milliseconds <= 86_400_000, 'must not be longer than 24h');

/** The address stands in logs and messages, so it may not carry what has to stay secret. */
const nodeAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).refine((value) => {
  if (!URL.canParse(value)) return true;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}, 'must not contain a user name or a password');

/** `cdn` stands for the list that is shipped, or for the one in CDN_ADDRESSES_FILE. */
const trustedProxies = z.string().transform((value, context): readonly (Network | 'cdn')[] => {
  try {
    return value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map((entry) => (entry === 'cdn' ? 'cdn' : parseNetwork(entry)));
  } catch (error) {
    if (!(error instanceof NotANetwork)) throw error;
    context.addIssue({ code: 'custom', message: `${error.message}, nor the word cdn` });
    return z.NEVER;
  }
});

export const indexerSettings = {
  ACCEPT_TERMS: setting({
    description: '`true` accepts the terms of use; otherwise the process logs their address and exits.',
    schema: z.literal('true'),
  }),
  TERMS_URL: setting({
    description: 'Terms of use of this installation; by default `docs/terms.md` of this version.',
    schema: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  }),
  CHAIN_ANCHOR_PACKAGE: setting({
    description: 'Address of the anchor package to index; any version of an upgraded package.',
    schema: address,
  }),
  CHAIN_NETWORK: setting({
    description: '`mainnet`, `testnet` or `devnet`; picks the default GraphQL endpoint.',
    default: 'mainnet',
    schema: z.enum(['mainnet', 'testnet', 'devnet'], 'must be mainnet, testnet or devnet'),
  }),
  CHAIN_FAMILY: setting({
    description: '`iota` or `sui`; picks the default GraphQL endpoint.',
    default: 'iota',
    schema: z.enum(['iota', 'sui'], 'must be iota or sui'),
  }),
  CHAIN_GRAPHQL_URL: setting({
    description: 'GraphQL endpoint to read from instead of the default.',
    schema: nodeAddress.optional(),
  }),
  DB_DRIVER: setting({
    description: '`sqlite` (one process, one file) or `postgres` (any number of replicas).',
    default: 'sqlite',
    schema: z.enum(['sqlite', 'postgres'], 'must be sqlite or postgres'),
  }),
  DB_DSN: setting({
    description: 'File path for SQLite (`data/indexer.sqlite` unless set), connection string for PostgreSQL.',
    secret: true,
    schema: text.optional(),
  }),
  DB_POOL_SIZE: setting({
    description:
      'PostgreSQL connections of this process. A third is reserved for reads. Poolers in transaction mode are not supported.',
    default: '10',
    schema: wholeNumber(1, 1_000),
  }),
  DB_POOL_WAIT_MS: setting({
    description:
      'Milliseconds that a statement waits for a connection, or a write to SQLite for another process, before the request gets 503 with `Retry-After`.',
    default: '5000',
    schema: wholeNumber(10, 60_000),
  }),
  LISTEN_ADDR: setting({ description: 'Address the HTTP API listens on.', default: ':8080', schema: listenAddress }),
  BASE_URL: setting({
    description:
      'Public address of this index, without a trailing slash. With it, the API documents name their server, and errors link to their explanation (`doc_url`).',
    schema: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .refine((value) => !value.endsWith('/'), 'must not end with a slash')
      .optional(),
  }),
  POLL_INTERVAL: setting({
    description: 'Time between polls of the ledger, such as `30s` or `5m`.',
    default: '60s',
    schema: pollInterval,
  }),
  ADDRESSES: setting({
    description: 'Comma-separated anchor sender addresses to index; empty means every proof of the package.',
    default: '',
    schema: addresses,
  }),
  TRUSTED_PROXIES: setting({
    description: 'Proxies in front of the reverse proxy: `cdn`, addresses or CIDRs, comma-separated.',
    default: '',
    schema: trustedProxies,
  }),
  CDN_ADDRESSES_FILE: setting({
    description: 'File with one CIDR per line that replaces the shipped `cdn` list; `#` begins a comment.',
    schema: text.optional(),
  }),
  RATE_IP_PER_MINUTE: setting({
    description: 'Requests per minute of one client address.',
    default: '60',
    schema: wholeNumber(1, 100_000_000),
  }),
  RESCAN_PAGES: setting({
    description: 'Pages of the second reading after each poll. `0` switches it off; no answer is then cacheable.',
    default: '1',
    schema: wholeNumber(0, 1_000),
  }),
  SECURITY_CONTACT: securityContact,
  METRICS_ADDR: setting({
    description:
      'Address of a separate listener for Prometheus metrics at `/metrics`, such as `127.0.0.1:9090`. Off unless set.',
    schema: listenAddress.optional(),
  }),
  LOG_LEVEL: setting({
    description: '`debug`, `info`, `warn` or `error`.',
    default: 'info',
    schema: z.enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error'),
  }),
} as const;

/** The page that comes with this version. */
export const shippedTerms = pathToFileURL(join(packageFolder, '../docs/terms.md')).href;

type Settings = Values<typeof indexerSettings>;

export interface IndexerConfig
  extends Omit<Settings, 'TERMS_URL' | 'DB_DSN' | 'CHAIN_GRAPHQL_URL' | 'TRUSTED_PROXIES' | 'CDN_ADDRESSES_FILE'> {
  readonly TERMS_URL: string;
  readonly DB_DSN: string;
  readonly CHAIN_GRAPHQL_URL: string;
  readonly TRUSTED_PROXIES: readonly Network[];
  /**
   * Public nodes are shared by all: between two pages of a long reading the index waits so long. An own node needs no
   * such courtesy.
   */
  readonly pauseMilliseconds: number;
}

/** @throws {ConfigurationFaults} naming every variable at fault */
export function readConfig(env: Readonly<Record<string, string | undefined>>): IndexerConfig {
  const faults: string[] = [];
  let settings: Settings | undefined;
  try {
    settings = readSettings(indexerSettings, env);
  } catch (error) {
    if (!(error instanceof ConfigurationFaults)) throw error;
    faults.push(...error.faults);
  }
  if (env['DB_DRIVER'] === 'postgres' && !/^postgres(ql)?:\/\/./.test(env['DB_DSN'] ?? ''))
    faults.push('DB_DSN must be a connection string such as postgres://user@host/name when DB_DRIVER is postgres');
  if (env['DB_DRIVER'] !== 'postgres' && !isFilePath(env['DB_DSN'] ?? ''))
    faults.push('DB_DSN must be the path of a file when DB_DRIVER is sqlite; for PostgreSQL set DB_DRIVER=postgres');
  // The operator has to see where the terms are, even if other settings are wrong.
  const terms = faults.findIndex((fault) => fault.startsWith('ACCEPT_TERMS '));
  if (terms >= 0) {
    faults[terms] = `ACCEPT_TERMS must be true; read the terms of use first: ${env['TERMS_URL'] || shippedTerms}`;
  }
  const cdn = readCdn(env['CDN_ADDRESSES_FILE'], faults);
  if (settings === undefined || faults.length > 0) throw new ConfigurationFaults(faults);
  return {
    ...settings,
    TERMS_URL: settings.TERMS_URL ?? shippedTerms,
    DB_DSN: settings.DB_DSN ?? 'data/indexer.sqlite',
    CHAIN_GRAPHQL_URL: settings.CHAIN_GRAPHQL_URL ?? defaultEndpoints[settings.CHAIN_FAMILY][settings.CHAIN_NETWORK],
    TRUSTED_PROXIES: settings.TRUSTED_PROXIES.flatMap((entry) => (entry === 'cdn' ? cdn : [entry])),
    pauseMilliseconds: settings.CHAIN_GRAPHQL_URL === undefined ? 250 : 0,
  };
}

/** A connection string taken for a path would become a folder that is named after the password. */
function isFilePath(dsn: string): boolean {
  return !/^[a-z][a-z0-9+.-]+:|\b(?:host|password|dbname)\s*=|^:memory:$/i.test(dsn);
}

function readCdn(file: string | undefined, faults: string[]): readonly Network[] {
  try {
    const lines =
      file === undefined || file === ''
        ? cdnAddresses.networks
        : readFileSync(file, 'utf8')
            .split('\n')
            .map((line) => line.replace(/#.*/, '').trim())
            .filter((line) => line !== '');
    if (lines.length === 0) faults.push('CDN_ADDRESSES_FILE contains no address');
    return lines.map(parseNetwork);
  } catch (error) {
    faults.push(`CDN_ADDRESSES_FILE ${error instanceof NotANetwork ? error.message : 'cannot be read'}`);
    return [];
  }
}
