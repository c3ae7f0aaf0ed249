/**
 * Refusals under /oauth speak RFC 6749 §5.2: `error` is the code, `error_description` the sentence. Our words that RFC
 * has none for become its nearest ones.
 */

import type { Problem } from '@clockproof/platform/http/api';
import type { OperationInfo } from '@clockproof/platform/http/operations';
import { type OauthErrorCode, oauthErrors } from '../generated/contract.js';

const oauthWords: Readonly<Record<string, OauthErrorCode>> = {
  unauthorized: 'invalid_client',
  token_expired: 'invalid_client',
  token_revoked: 'invalid_client',
  internal: 'server_error',
  unavailable: 'temporarily_unavailable',
};

export function presentProblem(problem: Problem, operation: OperationInfo): object {
  if (!operation.path.startsWith('/oauth/')) return problem;
  const code = wordOf(problem);
  const sentence = (oauthErrors as Readonly<Record<string, { readonly error: string }>>)[code]?.error ?? problem.error;
  return {
    error: code,
    error_description: sentence,
    code,
    request_id: problem.request_id,
    // RFC 6749 §5.2
    error_uri: problem.doc_url?.replace(/#.*$/, `#${code}`),
  };
}

function wordOf({ code, details }: Problem): string {
  // A grant type that the document does not list is no malformed request but one that is not offered.
  if (code === 'invalid_request' && details?.[0]?.field === 'grant_type' && details[0].code === 'not_allowed')
    return 'unsupported_grant_type';
  return oauthWords[code] ?? code;
}
