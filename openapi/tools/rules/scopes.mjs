// Who may call: x-scope and security say the same thing.
import { operations } from '../walk.mjs';

const roles = ['anyone', 'password_passed', 'signed_in', 'approver', 'company_admin', 'super_admin'];

/** Every operation names its permission (or null) beside `security`, and the two agree. */
export function* scopesAgreeWithSecurity(document, { scopes }) {
  const schemes = document.components?.securitySchemes ?? {};
  for (const { operation, pointer } of operations(document)) {
    const { security, 'x-scope': scope, 'x-role': role } = operation;
    if (security === undefined) yield { at: pointer, message: 'security is missing; write [] where everyone may call' };
    if (scope === undefined)
      yield { at: pointer, message: 'x-scope is missing; write null where no permission is needed' };
    else if (scope !== null && scopes[scope] === undefined)
      yield { at: pointer, message: `${scope} is no permission of scopes.yaml` };
    const used = new Set((security ?? []).flatMap((requirement) => Object.keys(requirement)));
    const link = (security ?? []).find((requirement) => requirement.personalLink !== undefined)?.personalLink;
    if (scope) {
      if (!used.has('apiKey') || !used.has('apiKeyHeader'))
        yield { at: pointer, message: `${scope} is held by keys, so apiKey and apiKeyHeader belong to security` };
      if (link && !scopes[scope]?.link) yield { at: pointer, message: `${scope} cannot be granted to a personal link` };
      if (link && String(link) !== scope)
        yield { at: pointer, message: `personalLink asks for [${link}], x-scope is ${scope}` };
    } else if (link?.length) yield { at: pointer, message: `personalLink asks for [${link}], x-scope is null` };
    if (schemes.session && !roles.includes(role))
      yield { at: pointer, message: `x-role is one of ${roles.join(', ')}` };
    if (schemes.session && (role === 'anyone') !== (security?.length === 0))
      yield { at: pointer, message: 'x-role anyone goes with security [], every other role with a session' };
  }
  const flow = schemes.personalLink?.flows?.authorizationCode?.scopes;
  if (flow) {
    const grantable = Object.keys(scopes).filter((scope) => scopes[scope].link);
    if (grantable.join() !== Object.keys(flow).join())
      yield {
        at: '/components/securitySchemes/personalLink',
        message: `a link can hold ${grantable.join(', ')}, in this order`,
      };
    for (const scope of grantable)
      if (flow[scope] !== undefined && flow[scope] !== scopes[scope].description)
        yield {
          at: '/components/securitySchemes/personalLink',
          message: `the text of ${scope} is not that of scopes.yaml`,
        };
  }
}
