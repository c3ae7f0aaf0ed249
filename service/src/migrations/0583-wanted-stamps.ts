import type { Migration } from '@clockproof/platform/database/database';

/** The stamp that was chosen before the badge was held to the terminal. */
export const wantedStamps: Migration = {
  id: '0583-wanted-stamps',
  statements: () => ['ALTER TABLE card_sessions ADD COLUMN wanted TEXT'],
};
