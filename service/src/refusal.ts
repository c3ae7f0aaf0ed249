/** Refusals with the contract's codes. */
import { Refusal as PlatformRefusal } from '@clockproof/platform/http/refusal';
import type { ErrorCode } from './generated/contract.js';

export class Refusal extends PlatformRefusal<ErrorCode> {}
