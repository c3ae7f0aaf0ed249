import type { Migration } from '@clockproof/platform/database/database';

/**
 * What a notice is about (`entry 12`, `approval 7`), so that each person is told of it once, and so that what has been
 * dealt with need not be read any more.
 */
export const subjectsOfNotices: Migration = {
  id: '0800-subjects-of-notices',
  statements: () => [
    'ALTER TABLE notices ADD COLUMN about TEXT',
    'CREATE UNIQUE INDEX notices_about ON notices (about, kind, person_id) WHERE about IS NOT NULL',
  ],
};
