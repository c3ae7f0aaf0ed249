// Who may call: x-scope, x-role and security say the same thing.
import { readVocabulary } from '../contract.mjs';

/** What a read may tell about somebody else although a switch or confidentiality can hide it. */
const sensitiveFields = ['presence', 'balances', 'findings', 'special_rules', 'absence_kinds'];
const roles = ['anyone', 'password_passed', 'signed_in', 'approver', 'company_admin', 'super_admin'];

/** Every operation names its permission (or null) beside `security`, and the two agree. */
export function scopesMatchSecurity() {
  const { scopes } = readVocabulary();
  let schemes;
  return {
    Root(root, { location, report }) {
      schemes = root.components?.securitySchemes ?? {};
      const flow = schemes.personalLink?.flows?.authorizationCode?.scopes;
      if (flow === undefined) return;
      const say = (message) =>
        report({ message, location: location.child(['components', 'securitySchemes', 'personalLink']) });
      const grantable = Object.keys(scopes).filter((scope) => scopes[scope].link);
      if (grantable.join() !== Object.keys(flow).join()) say(`a link can hold ${grantable.join(', ')}, in this order`);
      for (const scope of grantable)
        if (flow[scope] !== undefined && flow[scope] !== scopes[scope].description)
          say(`the text of ${scope} is not that of scopes.yaml`);
    },
    Operation(operation, { report, key }) {
      const {
        security,
        'x-scope': scope,
        'x-own-scope': ownScope,
        'x-role': role,
        'x-reveals': reveals = [],
      } = operation;
      const say = (message) => report({ message });
      if (security === undefined) say('security is missing; write [] where everyone may call');
      if (scope === undefined) say('x-scope is missing; write null where no permission is needed');
      else if (scope !== null && scopes[scope] === undefined) say(`${scope} is no permission of scopes.yaml`);
      const usedScopes = new Set((security ?? []).flatMap((requirement) => Object.keys(requirement)));
      const links = (security ?? []).flatMap(({ personalLink }) => (personalLink === undefined ? [] : [personalLink]));
      const linkedScopes = links.map(String).join(' or ');
      const sufficientScopes = ownScope === undefined ? [scope] : [scope, ownScope];
      if (ownScope !== undefined && (!scope || scopes[ownScope] === undefined || ownScope === scope))
        say('x-own-scope is another permission of scopes.yaml, beside x-scope');
      if (scope) {
        const keyCount = ['apiKey', 'apiKeyHeader'].filter((name) => usedScopes.has(name)).length;
        // Keys cannot call operations about the linked person alone.
        if (keyCount === 1 || (keyCount === 0 && links.length === 0))
          say(`${scope} is held by keys, so apiKey and apiKeyHeader belong to security`);
        if (links.length > 0 && !sufficientScopes.every((name) => scopes[name]?.link))
          say(`${sufficientScopes.join(' or ')} cannot be granted to a personal link`);
        if (links.length > 0 && linkedScopes !== sufficientScopes.join(' or '))
          say(`personalLink asks for [${linkedScopes}], x-scope is ${sufficientScopes.join(' or ')}`);
      } else if (links.flat().length > 0) say(`personalLink asks for [${linkedScopes}], x-scope is null`);
      if (schemes.session === undefined) return;
      for (const value of reveals)
        if (!sensitiveFields.includes(value)) say(`x-reveals names ${sensitiveFields.join(', ')}`);
      if (reveals.length > 0 && key !== 'get') say('x-reveals belongs to a read');
      if (!roles.includes(role)) say(`x-role is one of ${roles.join(', ')}`);
      if ((role === 'anyone') !== (security?.length === 0))
        say('x-role anyone goes with security [], every other role with a session');
    },
  };
}
