import type { Reader } from '@clockproof/platform/database/database';
import type { Tables } from '../../generated/tables.js';
import type { CompanyId } from '../../store/ids.js';
import { upsert, type Writing } from '../../store/tables.js';

export type PayrollSettingsRow = Tables['payroll_settings'];

export function findPayrollSettings(reader: Reader, companyId: CompanyId): Promise<PayrollSettingsRow | undefined> {
  return reader.get<PayrollSettingsRow>('SELECT * FROM payroll_settings WHERE company_id = :companyId', { companyId });
}

export async function savePayrollSettingsRow(tx: Writing, row: PayrollSettingsRow): Promise<void> {
  await upsert(tx, 'payroll_settings', ['company_id'], row);
}
