import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { CompanyId } from './ids.js';
import type { Write } from './write.js';

export interface Export {
  /** Absent if the export covers every company. */
  readonly companyId: CompanyId | undefined;
  readonly from: LocalDate;
  readonly to: LocalDate;
  /** The number of entries. */
  readonly entries: number;
}

/** Exports of the log are recorded in the log. */
export async function recordExport(write: Write, { companyId, from, to, entries }: Export): Promise<void> {
  await write.audit({ companyId, action: 'audit.exported', details: { from, to, entries } });
}
