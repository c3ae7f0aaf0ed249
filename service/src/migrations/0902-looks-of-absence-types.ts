import type { Migration } from '@clockproof/platform/database/database';

/** The colour of a kind of absence in the calendar, and who reads its name there. */
export const looksOfAbsenceTypes: Migration = {
  id: '0902-looks-of-absence-types',
  statements: () => [
    "ALTER TABLE absence_types ADD COLUMN color TEXT NOT NULL DEFAULT 'usual'",
    "ALTER TABLE absence_types ADD COLUMN visible_to TEXT NOT NULL DEFAULT 'approvers'",
  ],
};
