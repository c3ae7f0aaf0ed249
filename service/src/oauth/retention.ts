/** How long expired codes and tokens are kept. The links themselves stay, as history. */
import type { Transaction } from '@clockproof/platform/database/database';
import { day, type Instant } from '@clockproof/platform/time/instant';
import { deleteCodes, deleteConsents, deleteTokensOfLinks } from './rows.js';

/** How long a code is kept after it expired, so that reusing it ends its link. */
const codeDays = 1;

/**
 * For this many days after a link ended, its access tokens are still recognised (`token_revoked`). While it is active,
 * every used refresh token is kept, so that reusing one ends the link.
 */
const tokenDays = 30;

/** @returns the number of deleted codes, consent requests and tokens */
export async function purgeExpiredTokens(tx: Transaction, at: Instant): Promise<number> {
  return (
    (await deleteCodes(tx, at - codeDays * day)) +
    (await deleteConsents(tx, at)) +
    (await deleteTokensOfLinks(tx, at - tokenDays * day))
  );
}
