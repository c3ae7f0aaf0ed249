import type { Migration } from '@clockproof/platform/database/database';

export const entriesByTime: Migration = {
  id: '0106-entries-by-time',
  statements: () => [
    'ALTER TABLE time_entries ADD COLUMN break_rules TEXT',
    // Neighbours in time: overlaps of a correction, the rest period before a day.
    'CREATE INDEX entries_by_person_start ON time_entries (person_id, start_at)',
    // What stands in the way of closing a month.
    "CREATE INDEX entries_unfinished ON time_entries (company_id, date) WHERE status IN ('open', 'pending')",
  ],
};
