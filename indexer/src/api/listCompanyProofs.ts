import type { ApiNeeds, Request, Response } from './operations.js';
import { defaultLimit, pageOfProofs } from './pages.js';

/** Proofs of one company token, newest first. Conflicting roots of one period are all listed. */
export async function listCompanyProofs(
  { db }: Pick<ApiNeeds, 'db'>,
  { path, query }: Request<'listCompanyProofs'>,
): Promise<Response<'listCompanyProofs'>> {
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: await pageOfProofs(
      db,
      { companyToken: path.token, period: query.period },
      query.limit ?? defaultLimit,
      query.cursor,
    ),
  };
}
