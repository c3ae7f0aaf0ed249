/**
 * Every setting of the anchor service: meaning, default, form. Read once at start; the page of settings in the docs is
 * made from this list.
 */
import { duration, listenAddress, readSettings, setting, text, type Values } from '@clockproof/platform/config/config';
import { z } from 'zod';

/** The address stands in logs and reports, so it must not carry a secret. */
function isPublicAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

const publicAddress = z
  .string()
  .refine(isPublicAddress, 'must be an http or https address without a user name or a password')
  .transform((value) => value.replace(/\/+$/, ''));

const indexes = z.string().transform((value, context) => {
  const urls = [...new Set(value.split(',').map((url) => url.trim().replace(/\/+$/, '')))].filter((url) => url !== '');
  const invalidUrls = urls.filter((url) => !isPublicAddress(url));
  if (urls.length > 0 && urls.length <= 10 && invalidUrls.length === 0) return urls;
  context.addIssue({
    code: 'custom',
    message:
      invalidUrls.length > 0
        ? `contains ${invalidUrls.length} that are no http or https addresses, or carry a password`
        : 'must name one to ten indexes',
  });
  return z.NEVER;
});

const sender = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'must be an address: 0x and up to 64 hexadecimal digits')
  .transform((value) => `0x${value.slice(2).toLowerCase().padStart(64, '0')}`);

/** Half an hour at most: the claim has to outlast the command, and the service limits claims. */
const commandTimeout = duration.refine((milliseconds) => milliseconds <= 1_800_000, 'must not be longer than 30m');
const pollInterval = duration.refine((milliseconds) => milliseconds <= 86_400_000, 'must not be longer than 24h');

export const anchorSettings = {
  SERVICE_URL: setting({ description: 'Public address of the service.', schema: publicAddress }),
  SERVICE_KEY: setting({
    description:
      'Key of an extension with the scopes `read:commitments` and `write:anchors`. The command never sees it.',
    secret: true,
    schema: text,
  }),
  LEDGER_URLS: setting({
    description:
      'Addresses of one to ten indexes, comma-separated. A root counts as anchored once all of them confirm it; let somebody else run one of them.',
    schema: indexes,
  }),
  ANCHOR_COMMAND: setting({
    description:
      'Program that writes to the ledger, and its first arguments, separated by blanks; no shell. It is given company token, period and root, and prints the transaction digest.',
    schema: text.transform((value) => value.trim().split(/\s+/)).refine(([program]) => program !== '', 'is empty'),
  }),
  ANCHOR_SENDER: setting({ description: 'Address on the ledger that the command writes with.', schema: sender }),
  ANCHOR_TIMEOUT: setting({
    description: 'How long the command may take; then it is ended, and the indexes say whether it wrote.',
    default: '2m',
    schema: commandTimeout,
  }),
  POLL_INTERVAL: setting({
    description: 'Time between two passes, such as `30s` or `5m`.',
    default: '60s',
    schema: pollInterval,
  }),
  METRICS_ADDR: setting({
    description:
      'Address of a listener for `/metrics`, `/healthz` and `/readyz`, such as `127.0.0.1:9091`. Off unless set.',
    schema: listenAddress.optional(),
  }),
  LOG_LEVEL: setting({
    description: '`debug`, `info`, `warn` or `error`.',
    default: 'info',
    schema: z.enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error'),
  }),
} as const;

export type AnchorConfig = Values<typeof anchorSettings>;

/** @throws {ConfigurationFaults} naming every variable at fault */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): AnchorConfig =>
  readSettings(anchorSettings, env);
