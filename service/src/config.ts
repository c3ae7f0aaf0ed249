/**
 * Every setting of the service: meaning, default, form. Read once at start; the page of settings in the docs is made
 * from this list.
 */
import {
  ConfigurationFaults,
  listenAddress,
  onOff,
  readSettings,
  setting,
  text,
  type Values,
  wholeNumber,
} from '@clockproof/platform/config/config';
import { NotANetwork, parseNetwork } from '@clockproof/platform/http/client-address';
import { securityContact } from '@clockproof/platform/http/security-txt';
import { z } from 'zod';

const dataKey = z
  .string()
  .optional()
  .transform((value, context) => {
    if (value === undefined) return undefined;
    const bytes = /^[0-9a-fA-F]{64}$/.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64');
    if (bytes.length === 32 && new Set(bytes).size > 8) return bytes;
    context.addIssue({ code: 'custom', message: 'must be 32 random bytes in base64 or hex (openssl rand -base64 32)' });
    return z.NEVER;
  });

const networks = z.string().transform((value, context) => {
  try {
    return value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map(parseNetwork);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof NotANetwork ? error.message : String(error) });
    return z.NEVER;
  }
});

export const serviceSettings = {
  LISTEN_ADDR: setting({ description: 'Address the HTTP server listens on.', default: ':8080', schema: listenAddress }),
  BASE_URL: setting({
    description: 'Public address of this installation, without a trailing slash. All links use it.',
    default: 'http://localhost:8080',
    schema: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .refine((value) => !value.endsWith('/'), 'must not end with a slash'),
  }),
  DB_DRIVER: setting({
    description: '`sqlite` (one process, one file) or `postgres` (any number of replicas).',
    default: 'sqlite',
    schema: z.enum(['sqlite', 'postgres'], 'must be sqlite or postgres'),
  }),
  DB_DSN: setting({
    description: 'File path for SQLite, connection string for PostgreSQL.',
    default: 'data/service.sqlite',
    secret: true,
    schema: text,
  }),
  DB_POOL_SIZE: setting({
    description:
      'PostgreSQL connections of this process. A third is reserved for reads; one company never takes all of these. Poolers in transaction mode are not supported.',
    default: '10',
    schema: wholeNumber(1, 1_000),
  }),
  DB_POOL_WAIT_MS: setting({
    description:
      'Milliseconds that a statement waits for a connection, or a write to SQLite for another process, before the request gets 503 with `Retry-After`.',
    default: '5000',
    schema: wholeNumber(10, 60_000),
  }),
  DATA_KEY: setting({
    description:
      'Required for badges: 32 random bytes in base64 or hex. It encrypts card keys and PINs, which are lost with it.',
    secret: true,
    schema: dataKey,
  }),
  NEW_DATA_KEY: setting({
    description: 'New key for `data-key rotate`. Read by that command only.',
    secret: true,
    schema: dataKey,
  }),
  BACKUP_PASSPHRASE: setting({
    description: 'Passphrase for `backup` and `restore`, at least twelve characters. Read by these commands only.',
    secret: true,
    schema: z.string().min(12, 'must have at least twelve characters').optional(),
  }),
  EXTENSIONS_ENABLED: setting({
    description:
      'Extensions, writing for people, personal links, webhooks and the WebSocket. The reading API is always on.',
    default: 'true',
    schema: onOff,
  }),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: setting({
    description: 'Also allows webhooks to loopback, private and link-local addresses, and http for them.',
    default: 'false',
    schema: onOff,
  }),
  RATE_API_PER_MINUTE: setting({
    description: 'Requests per minute of a key or personal link.',
    default: '120',
    schema: wholeNumber(1, 1_000_000),
  }),
  RATE_IP_PER_MINUTE: setting({
    description: 'Requests per minute of a client address without a valid credential.',
    default: '60',
    schema: wholeNumber(1, 1_000_000),
  }),
  RATE_TERMINAL_PER_MINUTE: setting({
    description: 'Requests per minute of a confirmed terminal; one stamp takes five or six.',
    default: '600',
    schema: wholeNumber(1, 1_000_000),
  }),
  TRUSTED_PROXIES: setting({
    description: 'Proxies whose X-Forwarded-For is trusted: addresses or CIDRs, comma-separated.',
    default: '',
    schema: networks,
  }),
  SMTP_URL: setting({
    description:
      'Server for outgoing e-mail: `smtps://user:password@host:465`, or `smtp://host:587` with STARTTLS if the server offers it. Without it the service sends no e-mail.',
    secret: true,
    schema: z.url({ protocol: /^smtps?$/, error: 'must be an smtp or smtps address' }).optional(),
  }),
  MAIL_FROM: setting({
    description: 'Sender of e-mail, such as `Clockproof <time@example.org>`. Required with SMTP_URL.',
    schema: z
      .string()
      .regex(
        /^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/,
        'must be an e-mail address, with a name or without',
      )
      .optional(),
  }),
  SECURITY_CONTACT: securityContact,
  METRICS_ADDR: setting({
    description:
      'Address of a separate listener for Prometheus metrics at `/metrics`, such as `127.0.0.1:9090`. Off unless set.',
    schema: listenAddress.optional(),
  }),
  AUDIT_HEAD_FILE: setting({
    description: 'File to which the signed head of the audit log is appended. Off unless set.',
    schema: text.optional(),
  }),
  AUDIT_HEAD_MINUTES: setting({
    description: 'Minutes between lines in AUDIT_HEAD_FILE.',
    default: '60',
    schema: wholeNumber(1, 1_440),
  }),
  LOG_LEVEL: setting({
    description: '`debug`, `info`, `warn` or `error`.',
    default: 'info',
    schema: z.enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error'),
  }),
} as const;

export type ServiceConfig = Values<typeof serviceSettings>;

/** @throws {ConfigurationFaults} naming every variable at fault */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ServiceConfig {
  const config = readSettings(serviceSettings, env);
  if (config.SMTP_URL !== undefined && config.MAIL_FROM === undefined)
    throw new ConfigurationFaults(['MAIL_FROM is required with SMTP_URL']);
  return config;
}
