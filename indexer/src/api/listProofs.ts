import { normaliseAddress } from '../ledger/identifiers.js';
import { type ApiNeeds, type Request, type Response, refuse } from './operations.js';
import { defaultLimit, pageOfProofs } from './pages.js';

/** Proofs, newest first; usually those of one sender. */
export async function listProofs(
  { db }: Pick<ApiNeeds, 'db'>,
  { query }: Request<'listProofs'>,
): Promise<Response<'listProofs'>> {
  if (query.sender !== undefined && query.address !== undefined)
    throw refuse('invalid_request', 'address', 'contradiction', 'Give sender or address, not both.');
  const sender = query.sender ?? query.address;
  const filter = {
    sender: sender === undefined ? undefined : normaliseAddress(sender),
    companyToken: query.company_token,
    period: query.period,
  };
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: await pageOfProofs(db, filter, query.limit ?? defaultLimit, query.cursor),
  };
}
