/** Refusals with the contract's codes. */
import type { RefusalDetail as PlatformDetail } from '@clockproof/platform/http/refusal';
import { Refusal as PlatformRefusal } from '@clockproof/platform/http/refusal';
import type { ErrorCode } from '../generated/contract.js';
import type { components } from '../generated/service-types.js';

export type DetailCode = components['schemas']['ProblemDetail']['code'];
export type RefusalDetail = PlatformDetail<DetailCode>;

export class Refusal extends PlatformRefusal<ErrorCode, DetailCode> {}

/** The rights of the caller have changed since the request came: the same request may be right or wrong now. */
export function rightsChanged(): Refusal {
  return new Refusal('unavailable', {
    headers: { 'retry-after': '1' },
    reason: 'the rights of the caller changed while the request ran',
  });
}

/**
 * `invalid_request` about one field.
 * @param code machine-readable reason: `unknown`, `out_of_range`
 * @param error sentence for a person
 */
export function invalidField(field: string, code: DetailCode, error: string): Refusal {
  return new Refusal('invalid_request', { details: [{ field, code, error }] });
}
