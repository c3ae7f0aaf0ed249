/** A refusal has its reason: what the kit knows to be otherwise is none (openapi: the codes of Error). */
import { at } from '../json.js';
import { live, meet } from './absences.js';
import { bodyOf, type Changes, changedElsewhere, personOf } from './changes.js';
import { type PossibleStates, refusals } from './clocks.js';
import { type History, type KnownPerson, type Lie, named, type Step } from './history.js';
import { reads } from './lists.js';
import type { RecordKind, Sighting } from './sightings.js';

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
    if (code === 'token_revoked' || code === 'token_expired') return neverEnded(step);
    if (code === 'invalid_client') return knownClient(step);
    if (code === 'month_closed' && person !== undefined) return neverClosed(person, step);
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
    return made === undefined || mayHaveEnded(String(at(made.result, 'id')), until) ? undefined : 'the client is known';
  }

  /** Of a key; many things end a link. */
  function neverEnded({ caller, until }: Step): string | undefined {
    if (caller === undefined || caller.personId !== undefined) return undefined;
    return mayHaveEnded(caller.extensionId, until) ? undefined : 'nothing had ended the key';
  }

  function mayHaveEnded(extensionId: string, until: number): boolean {
    return history.doings.some(
      ({ operation, given, result, from }) =>
        from < until &&
        (/^(changeFeatures|setCompanyActive)$/.test(operation) ||
          (/^(rotateKey|endOldKey|removeExtension|changeExtension)$/.test(operation) && given[0] === extensionId) ||
          (at(result, 'id') === extensionId && at(given[0], 'expires_at') !== undefined)),
    );
  }

  function neverClosed({ companyId }: KnownPerson, { until }: Step): string | undefined {
    const closed = history.doings.some(
      ({ operation, given, from }) => operation === 'closeMonth' && given[0] === companyId && from < until,
    );
    return closed || !history.companies.has(companyId) ? undefined : 'no month of the company was closed';
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
