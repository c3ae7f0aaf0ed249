import type { Migration } from '@clockproof/platform/database/database';

/**
 * Which channel each stamp of an entry came through. Null in rows of earlier versions, which kept only the source of
 * clocking in.
 */
export const sourcesOfStamps: Migration = {
  id: '0420-sources-of-stamps',
  statements: () => [
    'ALTER TABLE time_entries ADD COLUMN stamps TEXT',
    'ALTER TABLE entry_versions ADD COLUMN stamps TEXT',
  ],
};
