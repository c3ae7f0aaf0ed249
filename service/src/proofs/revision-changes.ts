/** The differences between revisions of a person's month, from the bytes that were committed to. Pure. */
import type { components } from '../generated/service-types.js';
import type { Part } from './month-proof.js';

type Schemas = components['schemas'];

export interface MonthStep {
  readonly step: string;
  readonly at: string;
  readonly reason: string | null;
}

/** Head and steps are the company's and differ always. */
const partsOfPerson = ['person', 'figures', 'bookings', 'sign_offs'] as const;

/** The differences for the person. */
export function changesBetween(before: readonly Part[], now: readonly Part[]): Schemas['RevisionChanges'] {
  const [previousTexts, presentTexts] = [textsOf(before), textsOf(now)];
  const differs = (name: string) => previousTexts.get(name) !== presentTexts.get(name);
  const dates = [...new Set([...previousTexts.keys(), ...presentTexts.keys()])]
    .filter((name) => /^\d/.test(name))
    .sort();
  return {
    days: dates.filter(differs).map((date) => ({
      date,
      worked_before: workedOf(previousTexts.get(date)),
      worked_now: workedOf(presentTexts.get(date)),
    })),
    parts: partsOfPerson.filter(differs),
  };
}

export function stepsOf(parts: readonly Part[]): readonly MonthStep[] {
  return JSON.parse(textsOf(parts).get('steps') ?? '[]') as MonthStep[];
}

/** The re-opening of the month after a revision: one follows each. */
export function reopeningAfter(revision: number, steps: readonly MonthStep[]): Schemas['Reopening'] | undefined {
  const reopening = steps.filter(({ step }) => step === 'reopened')[revision - 1];
  return reopening && { at: reopening.at, reason: reopening.reason ?? undefined };
}

const textsOf = (parts: readonly Part[]) => new Map(parts.map(({ name, text }) => [name, text]));

const workedOf = (text = '{"worked":0}') => (JSON.parse(text) as { readonly worked: number }).worked;
