import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { CompanyId } from '../ids.js';
import { type Actor, appendAudit } from './audit.js';

export interface Export {
  /** Absent if the export covers every company. */
  readonly companyId: CompanyId | undefined;
  readonly from: LocalDate;
  readonly to: LocalDate;
  /** How many entries. */
  readonly entries: number;
}

/** Exports of the log are recorded in the log. */
export async function recordExport(
  tx: Transaction,
  { companyId, from, to, entries }: Export,
  actor: Actor,
  at: Instant,
): Promise<void> {
  await appendAudit(tx, { at, companyId, actor, action: 'audit.exported', details: { from, to, entries } });
}
