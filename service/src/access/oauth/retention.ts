/** The retention of expired codes and tokens. The links themselves stay, as history. */
import { day, type Instant } from '@clockproof/platform/time/instant';
import type { Transaction } from '../../store/tables.js';
import { deleteCodes, deleteConsents, deleteTokensOfLinks } from './rows.js';

/** Days for which an expired code is kept, so that reusing it ends its link. */
const codeDays = 1;

/**
 * For this many days after a link ended, its access tokens are still recognised (`token_revoked`). While it is active,
 * every used refresh token is kept, so that reusing one ends the link.
 */
const tokenDays = 30;

/** Some of each. @returns the number of the deleted ones */
export const purgeCodes = (tx: Transaction, at: Instant, limit: number) => deleteCodes(tx, at - codeDays * day, limit);

export const purgeConsents = (tx: Transaction, at: Instant, limit: number) => deleteConsents(tx, at, limit);

export const purgeAccessTokens = (tx: Transaction, at: Instant, limit: number) =>
  deleteTokensOfLinks(tx, 'access_tokens', at - tokenDays * day, limit);

export const purgeRefreshTokens = (tx: Transaction, at: Instant, limit: number) =>
  deleteTokensOfLinks(tx, 'used_refresh_tokens', at - tokenDays * day, limit);
