/**
 * Every migration of the service, in the order of application.
 *
 * A new one goes to the end, in a file named by its id; its id sorts after all others. A released one never changes.
 */
import type { Migration } from '@clockproof/platform/database/database';
import { sharedRateLimitMigration } from '@clockproof/platform/http/shared-rate-limit';
import { baseline } from './0001-baseline.js';

export const migrations: readonly Migration[] = [sharedRateLimitMigration, baseline];
