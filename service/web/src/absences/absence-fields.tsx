/** The fields of every form about an absence: its kind, its days, and the half of a single day. */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { DayField } from '../parts/day-field.js';
import { useWords } from '../words/words.js';

type Half = 'morning' | 'afternoon';

export interface AbsenceDraft {
  /** The key of the kind; empty, which means the first, until the person chooses one. */
  readonly type: string;
  /** First and last day, as `2026-11-23`; the first is empty until the person chooses one. */
  readonly from: string;
  readonly to: string;
  readonly half: Half | undefined;
}

interface Kind {
  readonly key: string;
  readonly label: string;
  readonly half_day: boolean;
}

export function AbsenceFields({
  kinds,
  draft,
  onChange,
}: {
  readonly kinds: readonly Kind[];
  readonly draft: AbsenceDraft;
  readonly onChange: (draft: AbsenceDraft) => void;
}): ReactNode {
  const words = useWords();
  const { type, from, to, half } = draft;
  return (
    <>
      <NativeSelect
        label={words.absence_kind}
        value={kindOf(draft, kinds)?.key ?? type}
        onChange={(event) => onChange({ ...draft, type: event.currentTarget.value })}
        data={kinds.map(({ key, label }) => ({ value: key, label }))}
      />
      <DayField
        label={words.record_from}
        value={from}
        // The last day follows a first day that comes after it.
        onChange={(day) => onChange({ ...draft, from: day, to: to < day ? day : to })}
        required
      />
      <DayField
        label={words.record_to}
        value={to}
        onChange={(day) => onChange({ ...draft, to: day })}
        min={from}
        required
      />
      {allowsHalf(draft, kinds) && (
        <NativeSelect
          label={words.absence_part}
          value={half ?? ''}
          onChange={(event) =>
            onChange({ ...draft, half: (event.currentTarget.value || undefined) as Half | undefined })
          }
          data={[
            { value: '', label: words.absence_parts.whole },
            { value: 'morning', label: words.absence_parts.morning },
            { value: 'afternoon', label: words.absence_parts.afternoon },
          ]}
        />
      )}
    </>
  );
}

export function kindOf({ type }: AbsenceDraft, kinds: readonly Kind[]): Kind | undefined {
  return type === '' ? kinds[0] : kinds.find(({ key }) => key === type);
}

/** @returns the request of the draft, without the half of a day that it cannot have */
export function absenceOf(draft: AbsenceDraft, kinds: readonly Kind[]): Schemas['OwnAbsenceRequest'] {
  const { from, to, half } = draft;
  return {
    type: kindOf(draft, kinds)?.key ?? draft.type,
    start_date: from,
    end_date: to,
    ...(half !== undefined && allowsHalf(draft, kinds) ? { half_day: half } : {}),
  };
}

function allowsHalf(draft: AbsenceDraft, kinds: readonly Kind[]): boolean {
  return draft.from !== '' && draft.from === draft.to && kindOf(draft, kinds)?.half_day === true;
}

/** @returns the kinds with that of an absence, which may have been switched off since */
export function kindsWith(
  absence: Schemas['AbsenceOfPerson'] | Schemas['OwnAbsence'] | undefined,
  kinds: readonly Kind[],
): readonly Kind[] {
  if (absence === undefined || kinds.some(({ key }) => key === absence.type)) return kinds;
  return [{ key: absence.type, label: absence.type_label, half_day: absence.half_day !== undefined }, ...kinds];
}

/** The kinds that a company offers, for HR, who may work for another company than their own. */
export function useKindsOf(company: number): readonly Kind[] {
  const kinds = useQuery({
    queryKey: ['rules', 'types', company],
    queryFn: () =>
      ask(
        client.GET('/app/admin/companies/{id}/absence-types', {
          params: { path: { id: company }, query: { limit: 500 } },
        }),
      ),
  });
  return (kinds.data?.data ?? []).filter(({ active }) => active);
}
