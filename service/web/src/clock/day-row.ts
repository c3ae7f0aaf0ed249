/** A day of the month as its row shows it, and what can be done from there. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import type { BarPart } from '../parts/day-bar.js';
import type { Day, Entry } from './entries.js';

export interface DayRow extends Day {
  readonly entries: readonly Entry[];
  readonly corrections: readonly Schemas['Correction'][];
  readonly parts: readonly BarPart[];
  readonly past: boolean;
  /** Balance at the end of the day; undefined for today and later, and before time is tracked. */
  readonly balance: number | undefined;
  /** Something needs the person: a stamp is missing. */
  readonly flagged: boolean;
}

/** Withdraws a correction that waits for a decision. */
export function useWithdrawal() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => ask(client.POST('/app/me/corrections/{id}/withdrawal', { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['my-corrections'] }),
  });
}
