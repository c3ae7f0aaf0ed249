/** A refusal has its reason: what the kit knows to be otherwise is none (openapi: the codes of Error). */
import { at } from '../json.js';
import { live, meet } from './absences.js';
import { actionOf, bodyOf, type Changes, changedElsewhere, personOf } from './changes.js';
import { type PossibleStates, refusals } from './clocks.js';
import { type History, type KnownPerson, type Lie, named, type Step } from './history.js';
import { reads } from './lists.js';
import type { RecordKind, Sighting } from './sightings.js';

const day = 86_400_000;
const read: Readonly<Record<string, RecordKind>> = { getUser: 'user', getTimeEntry: 'entry', getAbsence: 'absence' };

export function liesAboutRefusals(
  history: History,
  changes: Changes,
  seen: readonly Sighting[],
  states: PossibleStates,
): readonly Lie[] {
  return history.steps.flatMap((step) => {
    const code = String(step.answer?.get('code'));
    if (step.status < 400 || step.status >= 500 || step.operation === undefined) return [];
    const wrong = whyNot(step, code);
    return wrong === undefined
      ? []
      : [{ kind: 'refusal' as const, what: `${named(step)}: refused with ${code}, and ${wrong}` }];
  });

  function whyNot(step: Step, code: string): string | undefined {
    const person = history.people.get(personOf(step) ?? Number.NaN);
    if (code === 'not_found') return shownBefore(step);
    const erased = history.erasedAt(step.caller?.personId ?? Number.NaN) !== undefined;
    if (code === 'unauthorized' && step.caller !== undefined && !erased) return 'the credential is known';
    if (code === 'token_expired' && lastsOn(step)) return 'the token lasts longer';
    if (code === 'token_revoked' || code === 'token_expired') return neverEnded(step);
    if (code === 'invalid_client') return knownClient(step);
    if (code === 'month_closed') return neverClosed(step);
    if (code === 'employment_ended' && person !== undefined)
      return person.members['employment_end'] === undefined && history.erasedAt(person.id) === undefined
        ? `the employment of person ${person.id} has no end`
        : undefined;
    if (code === 'absence_overlap' && person !== undefined) return nothingThere(person, step);
    if (code === 'card_unsupported') return issuedBefore(step);
    if (step.operation === 'stampAtTerminal' && refusals[code] !== undefined) {
      const personId = changes.sessions.get(String(at(bodyOf(step), 'session')));
      const possible = personId === undefined ? undefined : states(personId, step.from, step.until);
      return possible !== undefined && !refusals[code].some((state) => possible.has(state))
        ? `person ${personId} is ${[...possible].join(' or ')}`
        : undefined;
    }
    return undefined;
  }

  function shownBefore(step: Step): string | undefined {
    const kind = read[step.operation ?? ''];
    const id = /\/(\d+)(?:\?|$)/.exec(step.path)?.[1];
    const before = seen.find(
      (one) =>
        one.kind === kind &&
        one.id === id &&
        one.until < step.from &&
        one.step?.method === 'GET' &&
        one.step.credential === step.credential,
    );
    const person = history.people.get(Number(kind === 'user' ? id : before?.record['user_id']));
    return before !== undefined &&
      person !== undefined &&
      history.erasedAt(person.id) === undefined &&
      reads(changes, step, person, step.until)
      ? `${before.where} had shown it`
      : undefined;
  }

  function knownClient({ headers, until }: Step): string | undefined {
    const basic = Buffer.from((headers['authorization'] ?? '').replace(/^basic /i, ''), 'base64').toString();
    const made = history
      .done('createExtension')
      .find(({ result }) => basic === `${String(at(result, 'client_id'))}:${String(at(result, 'key'))}`);
    return made === undefined || mayHaveEnded(String(at(made.result, 'id')), at(made.result, 'key'), until)
      ? undefined
      : 'the client is known';
  }

  /** Of a link: its token was given for longer. */
  function lastsOn({ credential, until }: Step): boolean {
    const given = history.of(['exchangeToken'], 200).find(({ answer }) => answer?.get('access_token') === credential);
    return given !== undefined && until < given.from + Number(given.answer?.get('expires_in')) * 1_000 - 5_000;
  }

  /** Of a key; many things end a link. */
  function neverEnded({ caller, credential, until }: Step): string | undefined {
    if (caller === undefined || caller.personId !== undefined) return undefined;
    return mayHaveEnded(caller.extensionId, credential, until) ? undefined : 'nothing had ended the key';
  }

  /** Only the newest key goes on for certain, and another permission ends none. */
  function mayHaveEnded(extensionId: string, key: unknown, until: number): boolean {
    const before = history.doings.filter(({ from }) => from < until);
    const own = before.filter(({ given }) => given[0] === extensionId);
    const newest = own.findLast(({ operation }) => operation === 'rotateKey');
    return (
      (newest !== undefined && newest.result !== key) ||
      own.some(
        ({ operation, given }) =>
          operation === 'removeExtension' ||
          (operation === 'changeExtension' && Object.keys(given[1] as object).some((name) => name !== 'scopes')),
      ) ||
      before.some(
        ({ operation, given, result }) =>
          /^(changeFeatures|setCompanyActive)$/.test(operation) ||
          (at(result, 'id') === extensionId && at(given[0], 'expires_at') !== undefined),
      )
    );
  }

  /** The month is not over, or no closed one reaches to the days of an absence. */
  function neverClosed(step: Step): string | undefined {
    const written = changes.absences.filter(({ id }) => step.path.endsWith(`/${id}`));
    const person = history.people.get(personOf(step) ?? written[0]?.personId ?? Number.NaN);
    if (person === undefined || !history.companies.has(person.companyId)) return undefined;
    const closed = history.doings
      .filter(
        ({ operation, given, from }) =>
          operation === 'closeMonth' && given[0] === person.companyId && from < step.until,
      )
      .map(({ given }) => String(given[1]));
    // Months that are over may be closed without the kit, this one not.
    const monthAt = (time: number) => new Date(time).toISOString().slice(0, 7);
    if (step.operation !== undefined && step.operation in actionOf)
      return monthAt(step.from - 2 * day) === monthAt(step.until + day) ? 'the month is not over' : undefined;
    const dates = [bodyOf(step), ...written.map(({ record }) => record)]
      .map((one) => at(one, 'start_date'))
      .filter((date) => typeof date === 'string');
    const last = closed.sort().at(-1) ?? '';
    return dates.length > 0 && dates.every((date) => date.slice(0, 7) > last && Date.parse(date) > step.until)
      ? `${last === '' ? 'no month' : last} is the last month closed`
      : undefined;
  }

  function nothingThere(person: KnownPerson, step: Step): string | undefined {
    const body = (bodyOf(step) ?? {}) as Readonly<Record<string, unknown>>;
    const own = changes.absences.filter((one) => one.personId === person.id && one.from < step.until);
    const name = body['external_id'];
    if (
      name !== undefined &&
      own.some(
        (one) =>
          one.until < step.from &&
          one.step.operation === 'createAbsence' &&
          one.step.caller?.extensionId === step.caller?.extensionId &&
          one.record['external_id'] === name,
      )
    )
      return `external_id ${String(name)} is known`;
    if (changedElsewhere(changes, person.id, person.made.until + 1, step.until) || step.operation !== 'createAbsence')
      return undefined;
    return own.some(({ record }) => live.has(String(record['status'])) && meet(record, body))
      ? undefined
      : 'no absence is there';
  }

  function issuedBefore(step: Step): string | undefined {
    const uid = String(at(bodyOf(step), 'uid')).toLowerCase();
    return history.badges.has(uid) ? `${uid} is a badge that was issued` : undefined;
  }
}
