/**
 * The handlers of the verification API and what they share: the look-up, what is known, and how answers about found
 * proofs are kept.
 */
import type { Database } from '@clockproof/platform/database/database';
import type { Handlers, OperationRequest, OperationResponse } from '@clockproof/platform/http/operation';
import { Refusal } from '@clockproof/platform/http/refusal';
import type { ErrorCode } from '../generated/contract.js';
import type { operations } from '../generated/indexer-types.js';
import type { KnowledgeSource } from '../knowledge.js';
import { isTransactionDigest } from '../ledger/identifiers.js';
import { getIndexerStatus } from './getIndexerStatus.js';
import { getProof } from './getProof.js';
import { listCompanyProofs } from './listCompanyProofs.js';
import { listProofs } from './listProofs.js';
import { verifyTransaction } from './verifyTransaction.js';

export interface ApiNeeds {
  readonly db: Database;
  readonly knowledge: KnowledgeSource;
  readonly network: 'mainnet' | 'testnet' | 'devnet';
  readonly package: string;
  readonly version: string;
}

export type Request<Id extends keyof operations> = OperationRequest<operations[Id], null>;
export type Response<Id extends keyof operations> = OperationResponse<operations[Id]>;

export function indexerHandlers(needs: ApiNeeds): Handlers<operations, null> {
  return {
    getIndexerStatus: (request) => getIndexerStatus(needs, request),
    verifyTransaction: (request) => verifyTransaction(needs, request),
    getProof: (request) => getProof(needs, request),
    listProofs: (request) => listProofs(needs, request),
    listCompanyProofs: (request) => listCompanyProofs(needs, request),
  };
}

export function refuse(code: ErrorCode, field: string, word: string, error: string): Refusal<ErrorCode> {
  return new Refusal<ErrorCode>(code, { details: [{ field, code: word, error }] });
}

/**
 * The contract knows the alphabet and the length; only decoding tells whether it is 32 bytes. What is indexed is one,
 * so only what was not found has to be decoded.
 */
export function refuseUnlessDigest(tx: string): void {
  if (isTransactionDigest(tx)) return;
  throw refuse('invalid_request', 'tx', 'wrong_format', 'This is not the Base58 form of 32 bytes.');
}
