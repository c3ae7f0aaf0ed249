/** Refusals under /oauth speak RFC 6749 §5.2: `error` is the code, `error_description` the sentence. Our words that RFC has none for become its nearest ones. */
import type { OperationInfo } from '@clockproof/platform/http/contract';
import type { Problem } from '@clockproof/platform/http/edge';

const oauthWords: Readonly<Record<string, string>> = { unauthorized: 'invalid_client', internal: 'server_error', unavailable: 'temporarily_unavailable' };

export function presentProblem(problem: Problem, operation: OperationInfo): object {
  if (!operation.path.startsWith('/oauth/')) return problem;
  const code = oauthWords[problem.code] ?? problem.code;
  return { error: code, error_description: problem.error, code };
}
