/** How long codes and tokens are kept once they are worth nothing. The links themselves stay: they are history. */
import type { Transaction } from '@clockproof/platform/database/database';
import { day, type Instant } from '@clockproof/platform/time/instant';
import { deleteCodes, deleteConsents, deleteTokensOfLinks } from './rows.js';

/** Beyond its minute a code is kept this long, so that whoever presents it again ends the link that it became. */
const codeDays = 1;

/**
 * For so many days after a link is over its access tokens are still told from those that never were (`token_revoked`).
 * While it lives, every refresh token it ever used is
 * kept: whoever presents one of them ends it.
 */
const tokenDays = 30;

/** @returns how many codes, requests for consent and tokens were deleted */
export async function forgetTokens(tx: Transaction, at: Instant): Promise<number> {
  return (
    (await deleteCodes(tx, at - codeDays * day)) +
    (await deleteConsents(tx, at)) +
    (await deleteTokensOfLinks(tx, at - tokenDays * day))
  );
}
