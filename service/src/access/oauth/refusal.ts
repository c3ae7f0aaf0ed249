/** Refusals in the format of RFC 6749. */
import { Refusal } from '@clockproof/platform/http/refusal';
import type { OauthErrorCode } from '../../generated/contract.js';

export class OauthRefusal extends Refusal<OauthErrorCode> {}
