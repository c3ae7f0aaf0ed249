/** A row of the month: a day, and the actions that are possible on it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import type { BarPart } from '../parts/day-bar.js';
import type { Day, Entry } from './entries.js';

export interface DayRow extends Day {
  /** Includes struck-out and rejected ones, which {@link stands} leaves out. */
  readonly entries: readonly Entry[];
  readonly corrections: readonly Schemas['Correction'][];
  readonly parts: readonly BarPart[];
  readonly past: boolean;
  /** Balance at the end of the day; undefined for today and later, and before time is tracked. */
  readonly balance: number | undefined;
  /** Something needs the person: a stamp is missing. */
  readonly flagged: boolean;
}

type Change = NonNullable<Entry['last_change']>;

/** The changes in the times of a day after they were recorded. */
export function changesOf({ entries }: Pick<DayRow, 'entries'>): readonly Change[] {
  return entries.flatMap(({ last_change: change }) =>
    // An approval leaves the times as they were.
    change === undefined || change.change === 'approved' ? [] : [change],
  );
}

/** Withdraws a correction that waits for a decision. */
export function useWithdrawal() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => ask(client.POST('/app/me/corrections/{id}/withdrawal', { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['my-corrections'] }),
  });
}
