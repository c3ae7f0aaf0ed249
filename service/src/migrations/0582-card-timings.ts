import type { Migration } from '@clockproof/platform/database/database';

/** How long a proof usually takes at each terminal, by family of card, and how long the present one has taken. */
export const cardTimings: Migration = {
  id: '0582-card-timings',
  statements: (d) => [
    `CREATE TABLE card_timings (
      terminal_id TEXT NOT NULL, family TEXT NOT NULL, samples ${d.integer} NOT NULL, mean_us ${d.integer} NOT NULL, deviation_us ${d.integer} NOT NULL,
      PRIMARY KEY (terminal_id, family))`,
    // Null as soon as a command came without its time.
    `ALTER TABLE card_sessions ADD COLUMN took_ms ${d.integer} DEFAULT 0`,
  ],
};
