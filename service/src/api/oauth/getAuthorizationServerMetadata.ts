import type { Handler } from '@clockproof/platform/http/operation';
import { linkScopes } from '../../generated/contract.js';
import type { operations } from '../../generated/service-types.js';
import type { Anyone } from '../caller.js';

/** RFC 8414. @param baseUrl BASE_URL, which is the issuer */
export function getAuthorizationServerMetadata({
  baseUrl,
}: {
  readonly baseUrl: string;
}): Handler<operations['getAuthorizationServerMetadata'], Anyone> {
  return () => ({
    status: 200,
    headers: { 'cache-control': 'public, max-age=3600' },
    body: {
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      revocation_endpoint: `${baseUrl}/oauth/revoke`,
      scopes_supported: [...linkScopes],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    },
  });
}
