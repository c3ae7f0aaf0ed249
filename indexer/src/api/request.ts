/** The request that every operation of the verification API receives, and its refusals. */
import type { Database } from '@clockproof/platform/database/database';
import type { OperationRequest, OperationResponse } from '@clockproof/platform/http/operation';
import { Refusal } from '@clockproof/platform/http/refusal';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Confirmation } from '../follow/confirm.js';
import type { ErrorCode } from '../generated/contract.js';
import type { components, operations } from '../generated/indexer-types.js';
import { isTransactionDigest } from '../ledger/identifiers.js';
import type { KnowledgeSource } from './knowledge.js';

export interface ApiContext {
  readonly db: Database;
  readonly knowledge: KnowledgeSource;
  /** Asks the ledger for one transaction by its digest and stores the answer. */
  readonly confirm: (digest: string, at: Instant) => Promise<Confirmation>;
  readonly network: 'mainnet' | 'testnet' | 'devnet';
  readonly package: string;
  readonly version: string;
}

export type Request<Id extends keyof operations> = OperationRequest<operations[Id], null>;
export type Response<Id extends keyof operations> = OperationResponse<operations[Id]>;

export type DetailCode = components['schemas']['ProblemDetail']['code'];

/** @returns `invalid_request` about one field and what is wrong with it */
export function invalidField(field: string, code: DetailCode, error: string): Refusal<ErrorCode> {
  return new Refusal<ErrorCode, DetailCode>('invalid_request', { details: [{ field, code, error }] });
}

/**
 * The contract checks alphabet and length; only decoding shows whether the text stands for 32 bytes. Indexed digests
 * are valid, so only misses need this check.
 * @throws Refusal `invalid_request`
 */
export function refuseUnlessDigest(tx: string): void {
  if (isTransactionDigest(tx)) return;
  throw invalidField('tx', 'wrong_format', 'This is not the Base58 form of 32 bytes.');
}
