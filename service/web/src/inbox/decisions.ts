/**
 * Decisions about requests, by way of the outbox: an operation that undoes a decision would have to take back notices
 * and webhooks, and receivers would have seen both.
 */
import { ask, Problem } from '../api/ask.js';
import { outboxClient as client } from '../api/client.js';
import { type Delivery, hold } from '../api/outbox.js';
import { type CalendarFormats, useCalendars } from '../parts/calendar.js';
import { withNames } from '../parts/names.js';
import { type Zone, zoneOf } from '../parts/zone.js';
import { useWords, type Words } from '../words/words.js';
import { type Approval, lineOf } from './approval-words.js';

export interface Decision {
  readonly requests: readonly Approval[];
  readonly outcome: 'approved' | 'rejected';
  readonly comment?: string | undefined;
}

/** The name of a request in the outbox. */
export const subjectOf = ({ id }: Pick<Approval, 'id'>) => `approval ${id}`;

export function useDecide(): (decision: Decision) => void {
  const words = useWords();
  const calendarOf = useCalendars();
  return (decision) => hold(deliveryOf(decision, words, calendarOf));
}

function deliveryOf(decision: Decision, words: Words, calendarOf: (zone: Zone) => CalendarFormats): Delivery {
  const { requests, outcome, comment } = decision;
  const names = requests.map(({ person }) => person.name);
  const [first] = requests;
  return {
    intent:
      requests.length === 1
        ? withNames(
            words.approvals_pending[outcome],
            `${names[0]}, ${lineOf(first!, words, calendarOf(zoneOf(first!))).what}`,
          )
        : words.approvals_pending[outcome](words.approvals_pending_many(requests.length)),
    failure:
      requests.length === 1
        ? withNames(words.approvals_refused, names[0]!)
        : withNames(words.approvals_refused_many, names.join(', ')),
    subjects: requests.map(subjectOf),
    queries: ['approvals'],
    async send() {
      const { data } = await ask(
        client.POST('/app/approvals/decisions', {
          body: { ids: requests.map(({ id }) => id), outcome, comment },
        }),
      );
      const codes = new Set(data.flatMap(({ refusal }) => refusal ?? []));
      return [...codes].map((code) => {
        const refusedIds = new Set(data.filter(({ refusal }) => refusal === code).map(({ id }) => id));
        const refusedDecision = { ...decision, requests: requests.filter(({ id }) => refusedIds.has(id)) };
        return {
          delivery: deliveryOf(refusedDecision, words, calendarOf),
          problem: new Problem(code, undefined, [], undefined),
        };
      });
    },
  };
}
