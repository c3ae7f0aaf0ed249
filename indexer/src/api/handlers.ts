/** Every operation of the verification API and its handler, by operationId. */
import type { Handlers } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/indexer-types.js';
import { listCompanyPeriods } from './periods.js';
import { getProof, listCompanyProofs, listProofs } from './proofs.js';
import type { ApiContext } from './request.js';
import { getIndexerStatus } from './status.js';
import { verifyTransaction } from './verify.js';

export function indexerHandlers(needs: ApiContext): Handlers<operations, null> {
  return {
    getIndexerStatus: (request) => getIndexerStatus(needs, request),
    verifyTransaction: (request) => verifyTransaction(needs, request),
    getProof: (request) => getProof(needs, request),
    listProofs: (request) => listProofs(needs, request),
    listCompanyProofs: (request) => listCompanyProofs(needs, request),
    listCompanyPeriods: (request) => listCompanyPeriods(needs, request),
  };
}
