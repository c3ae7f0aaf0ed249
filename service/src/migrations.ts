/** Every migration of the service, in the order of application. Add at the end; never change one that was released. */
import type { Migration } from '@clockproof/platform/database/database';
import { sharedRateLimitMigration } from '@clockproof/platform/http/shared-rate-limit';
import { absenceMigrations } from './absences/rows.js';
import { approvalMigrations } from './approvals/rows.js';
import { auditMigrations, auditOfLinksMigration } from './audit/rows.js';
import { badgeMigrations } from './badges/rows.js';
import { balanceMigrations } from './balances/rows.js';
import { correctionMigrations } from './clocking/correction-rows.js';
import { clockingMigrations } from './clocking/rows.js';
import { erasureMigrations } from './erasure/removals.js';
import { eventMigrations } from './events/rows.js';
import { extensionMigrations } from './extensions/rows.js';
import { idempotencyMigrations } from './idempotency/idempotency.js';
import { installationMigrations } from './installation.js';
import { monthMigrations } from './months/rows.js';
import { oauthMigrations } from './oauth/rows.js';
import { peopleMigrations } from './people/rows.js';
import { dataKeyMigrations } from './sealing/data-key.js';
import { passkeyMigrations } from './sign-in/passkey-rows.js';
import { signInMigrations } from './sign-in/rows.js';
import { terminalMigrations } from './terminals/rows.js';
import { webhookMigrations } from './webhooks/rows.js';
import { workingTimeMigrations } from './working-time/rows.js';

export const migrations: readonly Migration[] = [
  sharedRateLimitMigration,
  ...installationMigrations,
  ...auditMigrations,
  ...eventMigrations,
  ...idempotencyMigrations,
  ...peopleMigrations,
  ...extensionMigrations,
  ...monthMigrations,
  ...clockingMigrations,
  ...dataKeyMigrations,
  ...badgeMigrations,
  ...terminalMigrations,
  ...workingTimeMigrations,
  ...approvalMigrations,
  ...correctionMigrations,
  ...balanceMigrations,
  ...absenceMigrations,
  ...erasureMigrations,
  ...signInMigrations,
  ...oauthMigrations,
  ...passkeyMigrations,
  ...webhookMigrations,
  auditOfLinksMigration,
];
