/** Keys, links and limits: what ended stays ended, a link is one person's, a permission that is missing is missing. */
import { at } from '../json.js';
import { bodyOf } from './changes.js';
import { brief, groupedBy, type History, type Lie, named, type Step, same } from './history.js';
import { scopesAt } from './links.js';

const endings = new Set(['token_revoked', 'token_expired']);

/** @param permissions those that the documents ask for an operation: one of them suffices, and none means anybody */
export function liesAboutAccess(
  history: History,
  permissions: ReadonlyMap<string, readonly string[]>,
  unsettled: ReadonlyMap<string, number>,
): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (step: Step, what: string) => lies.push({ kind: 'access', what: `${named(step)}: ${what}` });
  const ended = new Map<string, Step>();
  const people = new Map<string, unknown>();
  const links = new Map<string, unknown>();
  const revoked = new Map<string, Step>();
  for (const step of history.of(['revokeToken'], 200)) {
    const token = new URLSearchParams(
      typeof step.body === 'string' ? step.body : (step.body as Record<string, string>),
    ).get('token');
    const basic = /^basic/i.test(step.headers['authorization'] ?? '');
    if (token !== null && basic) revoked.set(token, step);
  }
  for (const step of [...history.steps].sort((a, b) => a.until - b.until)) {
    const { credential, status, operation = '', caller } = step;
    if (credential === '' || operation === '') continue;
    if (status === 401 && endings.has(String(step.answer?.get('code'))))
      ended.set(credential, ended.get(credential) ?? step);
    const end = ended.get(credential);
    if (status >= 200 && status < 300 && end !== undefined && end.until < step.from && operation !== 'getStatus')
      lie(step, `the credential works again, ${named(end)} had called it ${String(end.answer?.get('code'))}`);
    const needed = permissions.get(operation) ?? [];
    const settled =
      caller !== undefined && (unsettled.get(caller.extensionId) ?? Number.POSITIVE_INFINITY) > step.until;
    if (caller !== undefined && needed.length > 0) {
      const held = scopesAt(history, caller.extensionId, step.from, step.until);
      const granted = (of: ReadonlySet<string> | undefined, scope: string) =>
        of?.has(scope) === true && (caller.personId === undefined || caller.scopes.includes(scope));
      if (status >= 200 && status < 300 && !needed.some((scope) => granted(held.any, scope)))
        lie(step, `answered without the permission ${needed.join(' or ')}`);
      // The second one suffices for what the caller made itself.
      // Another may switch off writing, which takes the permissions to write; reading stays.
      const reads = needed[0]!.startsWith('read:');
      if (reads && settled && granted(held.all, needed[0]!) && step.answer?.get('code') === 'insufficient_scope')
        lie(step, `refused for want of a permission, and it has ${needed[0]}`);
    }
    if (operation === 'getMe' && status === 200) {
      const id = step.answer?.get('id');
      if (people.has(credential) && people.get(credential) !== id)
        lie(step, `the link acts for person ${String(id)}, before for ${String(people.get(credential))}`);
      people.set(credential, id);
      if (caller?.personId !== undefined && caller.personId !== id)
        lie(step, `the link acts for person ${String(id)}, consent came from ${caller.personId}`);
      const link = {
        id: at(step.answer?.json, 'link.id'),
        extension: at(step.answer?.json, 'link.extension.id'),
        expires_at: at(step.answer?.json, 'link.expires_at'),
      };
      if (links.has(credential) && !same(links.get(credential), link))
        lie(step, `the link is ${brief(link)}, before ${brief(links.get(credential))}`);
      links.set(credential, link);
      const scopes = at(step.answer?.json, 'link.scopes');
      if (
        settled &&
        caller?.personId !== undefined &&
        Array.isArray(scopes) &&
        !same([...scopes].sort(), [...caller.scopes].sort())
      )
        lie(step, `the link has ${brief(scopes)}, granted were ${brief(caller.scopes)}`);
      if (settled && caller.personId !== undefined && at(step.answer?.json, 'link.extension.id') !== caller.extensionId)
        lie(step, `the link is of ${brief(link.extension)}, not of ${caller.extensionId}`);
    }
  }
  for (const step of history.steps) {
    const end = revoked.get(step.credential);
    if (
      end !== undefined &&
      step.from > end.until &&
      step.status >= 200 &&
      step.status < 300 &&
      step.operation !== undefined &&
      step.operation !== 'getStatus'
    )
      lie(step, 'the token was revoked');
  }
  return [...lies, ...ofTokens(history), ...ofLimits(history), ...ofPolicies(history)];
}

/** Tokens are new each time, and a refresh token works once. */
function ofTokens(history: History): readonly Lie[] {
  const lies: Lie[] = [];
  const given = new Map<string, Step>();
  const used = new Map<string, Step>();
  for (const step of history.of(['exchangeToken'], 200)) {
    for (const member of ['access_token', 'refresh_token']) {
      const token = String(step.answer?.get(member));
      if (given.has(token)) lies.push({ kind: 'access', what: `${named(step)}: the ${member} was given before` });
      given.set(token, step);
    }
    const form = bodyOf(step) as Record<string, string>;
    const spent = typeof form === 'object' && form !== null ? (form['refresh_token'] ?? form['code']) : undefined;
    if (spent === undefined) continue;
    const before = used.get(spent);
    if (before !== undefined)
      lies.push({ kind: 'access', what: `${named(step)}: a code or refresh token was taken twice` });
    used.set(spent, step);
  }
  return lies;
}

/** `"key";r=117;t=42`: until `t` seconds have passed, requests leave less, whichever operation they are for. */
function ofLimits(history: History): readonly Lie[] {
  // What may be kept is answered with the limit of the first request.
  const steps = history.steps
    .filter(({ answer }) => /no-store/.test(answer?.header('cache-control') ?? 'no-store'))
    .sort((a, b) => a.until - b.until);
  // Others at one address take from its limits, too: then even less is left.
  const ofAddress = ({ connections }: Step) => connections;
  const ofCredential = ({ headers, credential }: Step) => headers['service-terminal'] ?? (credential || undefined);
  return [steps, ...groupedBy(steps, ({ operation }) => operation).values()].flatMap((own) => [
    ...['key', 'link', 'terminal'].flatMap((name) => ofLimit(own, name, ofCredential)),
    ...['address', 'failed'].flatMap((name) => ofLimit(own, name, ofAddress)),
  ]);
}

function ofLimit(steps: readonly Step[], name: string, countedBy: (step: Step) => unknown): readonly Lie[] {
  const lies: Lie[] = [];
  const last = new Map<unknown, { readonly step: Step; readonly left: number; readonly end: number; stuck: number }>();
  for (const step of steps) {
    const match = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(step.answer?.header('ratelimit') ?? '');
    const counted = countedBy(step);
    if (match?.[1] !== name || counted === undefined) continue;
    const [left, seconds] = [Number(match[2]), Number(match[3])];
    const end = step.from + seconds * 1_000;
    const before = last.get(counted);
    const noneCameBack = before !== undefined && before.step.until < step.from && step.until < before.end - 2_000;
    // Once nothing is left, less cannot be.
    const stuck = noneCameBack && left > 0 && left >= before.left ? before.stuck + 1 : 0;
    // Some processes count for themselves.
    if (stuck === 7)
      lies.push({
        kind: 'access',
        what: `${named(step)}: ${left} requests are left of the limit, after eight requests as many as before`,
      });
    last.set(counted, { step, left, end, stuck });
  }
  return lies;
}

/** Operations that only a confirmed terminal gets an answer to. */
const atTerminals = new Set(['openCardSession', 'stepCardSession', 'stampAtTerminal', 'getTerminalInfo']);

/** `"key";q=120;w=60`: what is counted is who asks, and its limit stays the same. */
function ofPolicies(history: History): readonly Lie[] {
  const lies: Lie[] = [];
  const policies = new Map<string, string>();
  for (const step of history.steps) {
    const [said, counted = '', left, seconds] =
      /^"(key|link|terminal|address)";r=(\d+);t=(\d+)$/.exec(step.answer?.header('ratelimit') ?? '') ?? [];
    if (said === undefined) continue;
    const lie = (what: string) => lies.push({ kind: 'access', what: `${named(step)}: ${what}` });
    const terminal = step.headers['service-terminal'];
    const ofCaller = step.caller === undefined ? undefined : step.caller.personId === undefined ? 'key' : 'link';
    const asker = terminal === undefined ? ofCaller : 'terminal';
    const byAddress = asker === 'terminal' && atTerminals.has(step.operation ?? '') && step.status === 200;
    if (asker !== undefined && counted !== asker && (counted !== 'address' || byAddress))
      lie(`counts ${counted}, the request came from a ${asker}`);
    const policy = step.answer?.header('ratelimit-policy') ?? '';
    const [most, window] = ['q', 'w'].map((name) => Number(new RegExp(`;${name}=(\\d+)`).exec(policy)?.[1]));
    if (Number(left) > most! || Number(seconds) > window!) lie(`${said} goes beyond ${policy}`);
    const of = `${counted} ${terminal ?? step.credential}`;
    const kept = policies.get(of) ?? policy;
    if (kept !== policy) lie(`the limit is ${policy}, before ${kept}`);
    policies.set(of, kept);
  }
  return lies;
}
