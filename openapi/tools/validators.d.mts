import type { RequestValidators, ResponseValidators } from '../../platform/src/http/contract.js';

export function compileValidators(
  document: unknown,
  formats: object,
): { readonly requests: RequestValidators; readonly responses: ResponseValidators };
