import type { Migration } from '@clockproof/platform/database/database';

/** How the vacation days of a year are reduced for people who join or leave in it. */
export const proRata: Migration = {
  id: '0901-pro-rata',
  statements: () => ["ALTER TABLE vacation_policies ADD COLUMN pro_rata TEXT NOT NULL DEFAULT 'none'"],
};
