import type { Migration } from '@clockproof/platform/database/database';

/** What people of a company see of their department: who is away, as before, or nothing, or also who is clocked in. */
export const seenByColleagues: Migration = {
  id: '0801-seen-by-colleagues',
  statements: () => ["ALTER TABLE companies ADD COLUMN colleagues_see TEXT NOT NULL DEFAULT 'absences'"],
};
