/** Links, from the question to their end: each is one consent, however often its tokens are renewed. */
import { at, isRecord } from '../json.js';
import { bodyOf } from './changes.js';
import { brief, type Doing, type History, type Lie, named, rowsOf, type Step, same, type Told } from './history.js';
import { isOf, isPage, questionAt } from './pages.js';
import { eventSightings } from './sightings.js';
import type { Clock } from './time.js';

/** Tokens that an answer gave. */
interface Grant {
  readonly step: Step;
  readonly access: string;
  readonly refresh: string;
}
/** Why a link ended. */
interface End extends Told {
  readonly reason: string;
}
export interface Link {
  readonly personId: number;
  readonly extensionId: string;
  readonly clientId: string;
  /** What the person allowed. */
  readonly scopes: readonly string[];
  readonly consent: Doing;
  readonly code: string;
  readonly grants: Grant[];
  /** Undefined where no answer has shown it. */
  id: string | undefined;
  readonly ends: End[];
}

const formOf = (step: Step): Readonly<Record<string, unknown>> => {
  const { body } = step;
  if (typeof body === 'string' && !body.startsWith('{')) return Object.fromEntries(new URLSearchParams(body));
  return (bodyOf(step) ?? {}) as Record<string, unknown>;
};
const clientOf = ({ headers }: Step): string =>
  Buffer.from((headers['authorization'] ?? '').replace(/^basic /i, ''), 'base64')
    .toString()
    .split(':')[0] ?? '';
const spentOf = (step: Step) => String(formOf(step)['code'] ?? formOf(step)['refresh_token']);
const succeeded = ({ status }: Step) => status >= 200 && status < 300;

/** The scopes that an extension may have had at some time of a request: all of them, and those it certainly had. */
export function scopesAt(history: History, extensionId: string, from: number, until: number) {
  const made = history.done('createExtension').find(({ result }) => at(result, 'id') === extensionId);
  let possible = [(at(made?.given[0], 'scopes') ?? []) as readonly string[]];
  // Switching writing off takes the write scopes.
  let certain = !history.doings.some(
    ({ operation, given, from: begun }) =>
      operation === 'changeFeatures' && at(given[0], 'extensions_write') === false && begun <= until,
  );
  for (const { operation, given, result, from: begun, until: over } of history.doings) {
    if (operation !== 'changeExtension' || given[0] !== extensionId || begun >= until) continue;
    const scopes = at(given[1], 'scopes') as readonly string[] | undefined;
    if (scopes === undefined) continue;
    if (result !== undefined && over <= from) possible = [scopes];
    else {
      possible.push(scopes);
      certain = false;
    }
  }
  return { any: new Set(possible.flat()), all: certain ? new Set(possible[0]) : undefined };
}

/** Each consent that gave a code, with the tokens that came of it and what ended it. */
export function linksOf(history: History): readonly Link[] {
  const clients = new Map(
    history.done('createExtension').map(({ result }) => [String(at(result, 'client_id')), String(at(result, 'id'))]),
  );
  const links: Link[] = [];
  for (const doing of history.done('decideConsent')) {
    const code = /[?&]code=([^&]+)/.exec(String(doing.result))?.[1];
    const clientId = questionOf(history, doing.given[1])?.searchParams.get('client_id') ?? '';
    const personId = history.signedIn.get(doing.given[0]);
    const extensionId = clients.get(clientId);
    if (code === undefined || personId === undefined || extensionId === undefined) continue;
    const scopes = doing.given[2] as readonly string[];
    const more = { personId, extensionId, clientId, scopes, consent: doing, code: decodeURIComponent(code) };
    links.push({ ...more, grants: [], id: undefined, ends: [] });
  }
  const byToken = new Map(links.map((link) => [link.code, link]));
  for (const step of [...history.of(['exchangeToken'], 200)].sort((a, b) => a.until - b.until)) {
    const link = byToken.get(spentOf(step));
    if (link === undefined) continue;
    const [access, refresh] = [String(step.answer?.get('access_token')), String(step.answer?.get('refresh_token'))];
    link.grants.push({ step, access, refresh });
    for (const token of [access, refresh]) byToken.set(token, link);
  }
  for (const step of history.of(['getMe'], 200)) {
    const link = byToken.get(step.credential);
    if (link !== undefined) link.id ??= String(at(step.answer?.json, 'link.id'));
  }
  for (const step of history.of(['revokeToken'], 200)) {
    const token = String(formOf(step)['token']);
    const link = byToken.get(token);
    // Of an earlier pair, or one that is just being renewed, it may be unknown already.
    const last = link?.grants.findLast((grant) => grant.step.until <= step.from);
    const renewing = link?.grants.some(({ step: own }) => own.until > step.from && own.from < step.until);
    const current = last !== undefined && !renewing && [last.access, last.refresh].includes(token);
    if (link !== undefined && current && clientOf(step) === link.clientId)
      link.ends.push({ reason: 'revoked_by_app', from: step.from, until: step.until });
  }
  for (const { given, from, until } of history.done('endLink')) {
    const link = links.find(({ id }) => id === given[1]);
    if (link !== undefined) link.ends.push({ reason: 'revoked_by_person', from, until });
  }
  for (const { given, from, until } of history.done('removeExtension'))
    for (const link of links)
      if (link.extensionId === given[0] && link.grants.length > 0 && link.consent.until < from)
        link.ends.push({ reason: 'extension_deleted', from, until });
  return links;
}

/** The address at which a question began. */
function questionOf(history: History, question: unknown): URL | undefined {
  const asked = history.done('authorize').find(({ result }) => at(result, 'question') === question);
  return asked === undefined ? undefined : new URL(String(asked.given[1]), 'http://any.invalid');
}

export function liesAboutLinks(history: History, clock: Clock): readonly Lie[] {
  const links = linksOf(history);
  return [
    ...ofIdentity(history, links),
    ...ofGrants(links),
    ...ofEnds(history, links),
    ...ofEvents(history, links, clock),
    ...ofQuestions(history),
    ...ofLinkedApps(history, links),
    ...ofPages(history, clock),
    ...ofKeys(history),
    ...ofShownLinks(history, links),
    ...ofLastActions(history, links),
    ...ofShownKeys(history),
    ...ofRedirects(history),
  ];
}

/** A link keeps its id and its last day; another link has another id. */
function ofIdentity(history: History, links: readonly Link[]): readonly Lie[] {
  const lies: Lie[] = [];
  const owners = new Map<string, Link>();
  for (const step of history.of(['getMe'], 200)) {
    const lie = (what: string) => lies.push({ kind: 'access', what: `${named(step)}: ${what}` });
    const link = links.find(({ grants }) => grants.some(({ access }) => access === step.credential));
    if (link === undefined) continue;
    const id = String(at(step.answer?.json, 'link.id'));
    if (link.id !== id) lie(`the link is ${id}, with another of its tokens it was ${link.id}`);
    const owner = owners.get(id);
    if (owner !== undefined && owner !== link) lie(`the link ${id} came of another consent, too`);
    owners.set(id, link);
    const last = link.grants[0]?.step.answer?.get('link_expires_at');
    if (Date.parse(String(at(step.answer?.json, 'link.expires_at'))) !== Date.parse(String(last)))
      lie(`the link ends at ${brief(at(step.answer?.json, 'link.expires_at'))}, its tokens were given until ${last}`);
  }
  return lies;
}

/** Renewing moves nothing, and widens nothing. */
function ofGrants(links: readonly Link[]): readonly Lie[] {
  const lies: Lie[] = [];
  for (const { grants, scopes } of links)
    for (const { step } of grants) {
      const lie = (what: string) => lies.push({ kind: 'access', what: `${named(step)}: ${what}` });
      const first = grants[0]!.step;
      for (const member of ['link_expires_at', 'expires_in', 'token_type'])
        if (step.answer?.get(member) !== first.answer?.get(member) && !nearTheEnd(step))
          lie(`${member} is ${brief(step.answer?.get(member))}, before ${brief(first.answer?.get(member))}`);
      const asked = formOf(step)['scope'];
      const allowed = typeof asked === 'string' ? asked.split(' ') : scopes;
      const wide = String(step.answer?.get('scope'))
        .split(' ')
        .filter((scope) => scope !== '' && !(allowed.includes(scope) && scopes.includes(scope)));
      if (wide.length > 0) lie(`the tokens have ${wide.join(', ')}, allowed were ${allowed.join(', ')}`);
    }
  return lies;
}
/** A token does not outlive its link. */
const nearTheEnd = (step: Step) => Date.parse(String(step.answer?.get('link_expires_at'))) - step.until < 2 * 3_600_000;

/** What ended is over, for each of its tokens. */
function ofEnds(history: History, links: readonly Link[]): readonly Lie[] {
  const lies: Lie[] = [];
  const byToken = new Map(links.flatMap((link) => link.grants.map(({ access }) => [access, link] as const)));
  const byRefresh = new Map(links.flatMap((link) => link.grants.map(({ step }) => [step, link] as const)));
  for (const step of history.steps) {
    const link = byToken.get(step.credential) ?? byRefresh.get(step);
    const end = link?.ends.find(({ until }) => until < step.from);
    if (end !== undefined && succeeded(step) && step.operation !== undefined && step.operation !== 'getStatus')
      lies.push({ kind: 'access', what: `${named(step)}: answered, and the link had ended: ${end.reason}` });
  }
  return lies;
}

const endsElsewhere = ['changeFeatures', 'setCompanyActive', 'erasePerson', 'decideConsent'];
const ours = new Set(['revoked_by_app', 'revoked_by_person', 'extension_deleted']);

/** The event of a link that ended has the reason. */
function ofEvents(history: History, links: readonly Link[], clock: Clock): readonly Lie[] {
  const lies: Lie[] = [];
  for (const { event, where } of eventSightings(history)) {
    if (event['type'] !== 'link.ended') continue;
    const lie = (what: string) => lies.push({ kind: 'access', what: `${where}: link.ended ${what}` });
    const link = links.find(({ id }) => id !== undefined && id === at(event, 'data.id'));
    if (link === undefined) continue;
    const reason = String(at(event, 'data.reason'));
    const ended = Date.parse(String(at(event, 'data.ended_at')));
    if (at(event, 'data.user_id') !== link.personId)
      lie(`is of person ${brief(at(event, 'data.user_id'))}, the link was of ${link.personId}`);
    const [first] = [...link.ends].sort((a, b) => a.from - b.from);
    const causes = link.ends.filter(({ from, until }) => clock.within(ended, from, until));
    if (ours.has(reason) && !causes.some((one) => one.reason === reason))
      lie(`says ${reason} at ${brief(at(event, 'data.ended_at'))}, and nobody did that then`);
    if (first !== undefined && ended > first.until + clock.ahead + 2_000)
      lie(`ended at ${brief(at(event, 'data.ended_at'))}, it was ${first.reason} before`);
    // What else may have ended it at that moment.
    const elsewhere = history.doings.some(
      (one) =>
        (endsElsewhere.includes(one.operation) ||
          (one.operation === 'changeExtension' &&
            ['linking', 'company_id'].some((name) => at(one.given[1], name) !== undefined))) &&
        one !== link.consent &&
        one.from <= (first?.until ?? 0) &&
        clock.within(ended, one.from, one.until),
    );
    if (!ours.has(reason) && causes.length > 0 && !elsewhere && reason !== 'token_reused')
      lie(`says ${reason}, it was ${causes.map((one) => one.reason).join(' or ')}`);
  }
  return lies;
}

/** Names and settings of an extension as the adapter told them; undefined where a change is not certain. */
function toldOf(history: History, extensionId: string, member: string, { from, until }: Told): unknown {
  let value: unknown = at(
    history.done('createExtension').find(({ result }) => at(result, 'id') === extensionId)?.given[0],
    member,
  );
  for (const { operation, given, result, from: begun, until: over } of history.doings) {
    if (operation !== 'changeExtension' || given[0] !== extensionId || begun >= until) continue;
    const next = at(given[1], member);
    if (next !== undefined) value = result !== undefined && over <= from ? next : undefined;
  }
  return value;
}

/** Who asks a person, and for what. */
function ofQuestions(history: History): readonly Lie[] {
  const lies: Lie[] = [];
  for (const doing of history.done('showConsent')) {
    const lie = (what: string) => lies.push({ kind: 'access', what: `the question of an app: ${what}` });
    const asked = questionOf(history, doing.given[1])?.searchParams;
    const client = asked?.get('client_id');
    const made = history.done('createExtension').find(({ result }) => at(result, 'client_id') === client);
    const wanted = asked?.get('scope')?.split(' ');
    if (made === undefined || wanted === undefined) continue;
    const id = String(at(made.result, 'id'));
    const name = toldOf(history, id, 'name', doing);
    if (name !== undefined && at(doing.result, 'app_name') !== name)
      lie(`${brief(at(doing.result, 'app_name'))} asks, it was ${brief(name)}`);
    const days = toldOf(history, id, 'link_lifetime_days', doing);
    if (days !== undefined && at(doing.result, 'lifetime_days') !== days)
      lie(`lasts ${brief(at(doing.result, 'lifetime_days'))} days, the app was told ${brief(days)}`);
    const shown = (at(doing.result, 'scopes') ?? []) as readonly string[];
    const { any, all } = scopesAt(history, id, doing.from, doing.until);
    for (const scope of shown)
      if (!wanted.includes(scope) || !any.has(scope)) lie(`shows ${scope}, asked was ${wanted.join(', ')}`);
    // A link has no permission for the list of people.
    for (const scope of wanted)
      if (all?.has(scope) && scope !== 'read:users' && !shown.includes(scope)) lie(`does not show ${scope}`);
  }
  return lies;
}

/** A person sees the links that they allowed, each with what it may do. */
function ofLinkedApps(history: History, links: readonly Link[]): readonly Lie[] {
  const lies: Lie[] = [];
  for (const { given, result, from, until } of history.done('listLinks')) {
    const shown = result as readonly { readonly id: unknown; readonly scopes: readonly string[] }[];
    for (const link of links) {
      const { id, consent, extensionId, personId, scopes } = link;
      if (consent.given[0] !== given[0] || consent.until > from || id === undefined || !isAlive(history, link, until))
        continue;
      const lie = (what: string) =>
        lies.push({ kind: 'access', what: `the linked apps of person ${personId}: the link ${id} ${what}` });
      const own = shown.filter((one) => one.id === id);
      if (own.length !== 1) lie(`stands there ${own.length} times`);
      const { any, all } = scopesAt(history, extensionId, from, until);
      const may = own.flatMap((one) => one.scopes);
      const wide = may.filter((scope) => !scopes.includes(scope) || !any.has(scope));
      const missing = scopes.filter((scope) => all?.has(scope) && !may.includes(scope));
      if (own.length === 1 && wide.length + missing.length > 0)
        lie(`may ${may.join(', ')}, allowed were ${scopes.join(', ')}`);
    }
  }
  return lies;
}

/** A link is shown with what was granted, and an app with as many links as it has. */
function ofShownLinks(history: History, links: readonly Link[]): readonly Lie[] {
  const lies: Lie[] = [];
  for (const step of history.steps) {
    const lie = (what: string) => lies.push({ kind: 'access', what: `${named(step)}: ${what}` });
    if (isOf(step, 'ownLinks'))
      for (const row of rowsOf(step)) {
        const link = links.find(({ id }) => id === row['id']);
        const granted = row['granted_scopes'];
        if (link !== undefined && Array.isArray(granted) && !same([...granted].sort(), [...link.scopes].sort()))
          lie(`granted are ${brief(granted)}, the person allowed ${link.scopes.join(', ')}`);
        const worded = [row['permissions'] ?? granted].flat().map((one) => at(one, 'scope') ?? one);
        if (!same(worded.sort(), [granted].flat().sort()))
          lie(`granted are ${brief(granted)}, shown are ${brief(worded)}`);
        if (link !== undefined && Date.parse(String(row['created_at'])) < link.consent.from + history.ahead - 2_000)
          lie(`the link was opened at ${brief(row['created_at'])}, before the consent`);
      }
    const shown = step.answer?.get('links');
    const extensionId = String(step.answer?.get('id'));
    const made = history.done('createExtension').some(({ result }) => at(result, 'id') === extensionId);
    if (step.method !== 'GET' || typeof shown !== 'number' || !made) continue;
    const own = links.filter((link) => link.extensionId === extensionId && link.consent.from < step.until);
    const alive = own.filter((link) => isAlive(history, link, step.until));
    const over = own.filter(({ ends }) => ends.some(({ until }) => until < step.from));
    // Of what is neither, nobody can tell. A person has one link with an app.
    if (alive.length + over.length === own.length && shown !== alive.length)
      lie(`${extensionId} has ${shown} links, expected ${alive.length}`);
  }
  return lies;
}

/** The last action of a link that has done nothing yet is not its last one afterwards. */
function ofLastActions(history: History, links: readonly Link[]): readonly Lie[] {
  const pages = history.steps.filter((step) => isOf(step, 'ownLinks'));
  return links.flatMap(({ id, grants }) => {
    const writes = history.steps.filter(
      ({ method, credential }) => method !== 'GET' && grants.some(({ access }) => access === credential),
    );
    // What was there already is no action, and within some seconds the consent may be the newest one.
    const opened = grants[0]?.step.until ?? Number.POSITIVE_INFINITY;
    const acts = writes.filter(
      (one) => succeeded(one) && (one.operation !== 'createAbsence' || one.status === 201) && one.from > opened + 5_000,
    );
    const shown = pages.flatMap((step) =>
      rowsOf(step)
        .filter((row) => row['id'] === id && row['last_action'] !== undefined)
        .map((row) => ({ step, action: row['last_action'] })),
    );
    const idle = shown.find(({ step }) => !writes.some((one) => one.from < step.until));
    return shown
      .filter(({ step, action }) => action === idle?.action && acts.some((one) => one.until < step.from))
      .map(({ step, action }) => ({
        kind: 'access' as const,
        what: `${named(step)}: the last action is ${brief(action)} as before the first one`,
      }));
  });
}

/** Keys are shown by their beginning: the newest is the current one, and the one before it ends. */
function ofShownKeys(history: History): readonly Lie[] {
  const lies: Lie[] = [];
  for (const step of history.steps) {
    const shown = isPage(step) ? step.answer?.get('keys') : undefined;
    const id = step.answer?.get('id');
    const made = history.done('createExtension').find(({ result }) => at(result, 'id') === id);
    if (!Array.isArray(shown) || made === undefined) continue;
    const lie = (what: string) => lies.push({ kind: 'access', what: `${named(step)}: ${what}` });
    const keys = [
      String(at(made.result, 'key')),
      ...history
        .done('rotateKey')
        .filter(({ given }) => given[0] === id)
        .map(({ result }) => String(result)),
    ];
    const rows = shown.filter(isRecord);
    for (const { prefix } of rows)
      if (prefix !== undefined && !keys.some((key) => key.startsWith(String(prefix))))
        lie(`no key begins with ${brief(prefix)}`);
    const current = rows.filter((row) => row['current'] === true);
    if (rows.length > 0 && current.length !== 1) lie(`${current.length} of ${rows.length} keys are current`);
    if (at(made.given[0], 'expires_at') === undefined && current.some((row) => row['expires_at'] !== undefined))
      lie('the current key ends');
    if (rows.some((row) => row['current'] === false && row['expires_at'] === undefined))
      lie('a key that was replaced does not end');
  }
  return lies;
}

/** The browser goes back to where the app asked for, with the app's state (RFC 6749, 4.1.2). */
function ofRedirects(history: History): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (what: string) => lies.push({ kind: 'access', what: `the question of an app: ${what}` });
  const backTo = (question: unknown, to: unknown) => {
    const asked = questionOf(history, question)?.searchParams;
    if (asked === undefined || typeof to !== 'string') return;
    const [wanted, state] = [asked.get('redirect_uri'), asked.get('state')];
    const given = new URLSearchParams(to.split('?')[1]).get('state');
    if (given !== state) lie(`goes back with the state ${brief(given)}, not ${brief(state)}`);
    if (wanted !== null && !to.startsWith(wanted)) lie(`goes back to ${brief(to)}, asked was ${wanted}`);
  };
  for (const { given, result } of history.done('decideConsent')) backTo(given[1], result);
  for (const step of history.steps) {
    const question = questionAt(step);
    if (question === undefined) continue;
    backTo(question, step.answer?.get('redirect_to'));
    const wanted = questionOf(history, question)?.searchParams.get('redirect_uri');
    const host = step.answer?.get('redirect_host');
    if (host !== undefined && wanted && new URL(wanted).host !== host)
      lie(`says it goes to ${brief(host)}, asked was ${wanted}`);
    const extensionId = at(step.answer?.json, 'extension.id');
    const shown = step.answer?.get('key_scopes');
    const has = scopesAt(history, String(extensionId), step.from, step.until).all;
    const reading = [...(has ?? [])].filter((scope) => scope.startsWith('read:')).sort();
    if (has !== undefined && Array.isArray(shown) && shown.length > 0 && !same([...shown].sort(), reading))
      lie(`says that the key has ${brief(shown)}, it has ${reading.join(', ')}`);
    const told = history.done('createExtension').find((one) => at(one.result, 'id') === extensionId);
    const reads = step.answer?.get('key_reads');
    if (told === undefined || reads === undefined) continue;
    const known =
      toldOf(history, String(extensionId), 'key_reads', step) ??
      (at(told.given[0], 'linking') === true ? 'linked_people' : undefined);
    if (known !== undefined && reads !== known)
      lie(`says that the key reads ${brief(reads)}, told was ${brief(known)}`);
  }
  return lies;
}

/** Whether nothing that the kit did can have ended a link. */
function isAlive(
  history: History,
  { consent, personId, extensionId, code, grants, ends }: Link,
  until: number,
): boolean {
  const given = new Set([code, ...grants.map(({ refresh }) => refresh)]);
  const spent = history.of(['exchangeToken']).filter((step) => given.has(spentOf(step)) && step.from < until);
  const endedElsewhere = history.doings.some(
    (one) =>
      one !== consent &&
      one.until > consent.from &&
      one.from < until &&
      ((one.operation === 'decideConsent' && one.given[0] === consent.given[0]) ||
        (one.operation === 'erasePerson' && at(one.given[0], 'id') === personId) ||
        (one.operation === 'changeExtension' &&
          one.given[0] === extensionId &&
          ['linking', 'company_id'].some((name) => at(one.given[1], name) !== undefined)) ||
        ['changeFeatures', 'setCompanyActive'].includes(one.operation)),
  );
  // A code or a refresh token that is used twice ends the link.
  const isReused = spent.length > grants.filter(({ step }) => step.from < until).length;
  const tokens = new Set(grants.flatMap(({ access, refresh }) => [access, refresh]));
  const isRevoked = history
    .of(['revokeToken'])
    .some((step) => step.from < until && tokens.has(String(formOf(step)['token'])));
  return grants.length > 0 && !endedElsewhere && !isReused && !isRevoked && ends.every(({ from }) => from > until);
}

/** An administrator sees the settings last told, when they were told, and what the keys were used for. */
function ofPages(history: History, clock: Clock): readonly Lie[] {
  const lies: Lie[] = [];
  for (const doing of history.done('showExtension', 'changeExtension')) {
    const { given, result, from, until } = doing;
    const id = String(given[0]);
    const lie = (what: string) => lies.push({ kind: 'access', what: `the page of ${id}: ${what}` });
    const made = history.done('createExtension').find((one) => at(one.result, 'id') === id);
    if (made === undefined || !isRecord(result)) continue;
    if (result['client_id'] !== at(made.result, 'client_id'))
      lie(`the client is ${brief(result['client_id'])}, not ${brief(at(made.result, 'client_id'))}`);
    const { any, all } = scopesAt(history, id, from, until);
    const told = doing.operation === 'changeExtension' ? at(given[1], 'scopes') : undefined;
    const wanted = Array.isArray(told) ? new Set(told.map(String)) : all;
    const shown = (result['scopes'] ?? []) as readonly string[];
    const wrong = [
      ...shown.filter((scope) => !(wanted ?? any).has(scope)),
      ...[...(wanted ?? [])].filter((one) => !shown.includes(one)),
    ];
    if (wrong.length > 0) lie(`the scopes are ${shown.join(', ')}, expected ${[...(wanted ?? any)].join(', ')}`);
    const isNew = Array.isArray(told) && !told.every((scope) => any.has(scope) && any.size === told.length);
    if (isNew && !clock.within(Date.parse(String(result['updated_at'])), from, until))
      lie(`was changed at ${brief(result['updated_at'])}`);
    const name = toldOf(history, id, 'name', doing);
    if (typeof name === 'string' && !String(result['text']).includes(name)) lie(`does not show ${name}`);
    for (const member of ['last_used_at', 'last_delivered_at'])
      if (Date.parse(String(result[member])) < made.from + history.ahead - 5_000)
        lie(`${member} is ${brief(result[member])}, before the extension was made`);
    const keys = at(made.given[0], 'expires_at') === undefined ? keysOf(history, id, doing) : undefined;
    if (keys !== undefined && typeof result['keys'] === 'number' && result['keys'] !== keys)
      lie(`shows ${brief(result['keys'])} keys, expected ${keys}`);
  }
  return lies;
}

/** How many keys of an extension work, as far as that is certain: the one before the newest goes on for an hour. */
function keysOf(history: History, id: string, { from, until }: Told): number | undefined {
  const own = history.doings.filter(
    ({ operation, given }) => given[0] === id && /^(rotateKey|endOldKey)$/.test(operation),
  );
  if (own.some((one) => one.from <= until && (one.until >= from || one.result === undefined))) return undefined;
  const last = own.findLast((one) => one.until < from);
  if (last === undefined || last.operation === 'endOldKey') return 1;
  return until - last.from < 55 * 60_000 ? 2 : undefined;
}

/** A key works with the scopes of its extension, until it or the extension ends. */
function ofKeys(history: History): readonly Lie[] {
  const lies: Lie[] = [];
  const ends = new Map<string, Told>();
  for (const made of history.done('createExtension')) {
    const id = at(made.result, 'id');
    const keys = [String(at(made.result, 'key'))];
    for (const doing of history.doings) {
      const { operation, given, result } = doing;
      if (given[0] !== id || result === undefined) continue;
      if (operation === 'rotateKey') keys.push(String(result));
      if (operation === 'endOldKey' && keys.length > 1) ends.set(keys.at(-2)!, doing);
      if (operation === 'removeExtension') for (const key of keys) ends.set(key, ends.get(key) ?? doing);
    }
  }
  for (const step of history.steps) {
    const end = ends.get(step.credential);
    if (end !== undefined && end.until < step.from && succeeded(step) && step.operation !== 'getStatus')
      lies.push({ kind: 'access', what: `${named(step)}: the key had been ended` });
  }
  return lies;
}
