import type { Migration } from '@clockproof/platform/database/database';

/**
 * What a lost answer to a stamp said, kept with its nonce; how long a second stamp of the same kind only shows the
 * first; and whether a slow card needs the PIN.
 */
export const certainStamps: Migration = {
  id: '0580-certain-stamps',
  statements: (d) => [
    // Which request used the nonce, and what came of it.
    'ALTER TABLE terminal_nonces ADD COLUMN request TEXT',
    'ALTER TABLE terminal_nonces ADD COLUMN outcome TEXT',
    `ALTER TABLE terminals ADD COLUMN repeat_lock_seconds ${d.integer} NOT NULL DEFAULT 60`,
    `ALTER TABLE terminals ADD COLUMN pin_when_slow ${d.integer} NOT NULL DEFAULT 0`,
    // 1: the card was slow, and this terminal asks for the PIN then.
    `ALTER TABLE card_sessions ADD COLUMN slow ${d.integer} NOT NULL DEFAULT 0`,
  ],
};
