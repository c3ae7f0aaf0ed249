/** Refusals with the contract's codes. */
import { Refusal as PlatformRefusal } from '@clockproof/platform/http/refusal';
import type { ErrorCode } from '../generated/contract.js';

export class Refusal extends PlatformRefusal<ErrorCode> {}

/**
 * `invalid_request` about one field.
 * @param code machine-readable reason: `unknown`, `out_of_range`
 * @param error sentence for a person
 */
export function invalidField(field: string, code: string, error: string): Refusal {
  return new Refusal('invalid_request', { details: [{ field, code, error }] });
}
