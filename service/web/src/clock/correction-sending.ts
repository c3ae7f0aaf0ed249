/** Sends a correction: a request about one's own time, or a change of another person's. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { ask, client } from '../api/ask.js';
import { type Meanings, timesOf } from './correction-draft.js';
import { type Entry, timeOfOthers } from './entries.js';

interface Subject {
  readonly entry: Entry | undefined;
  /** The person whose time it is; undefined for the signed-in person. */
  readonly personId: number | undefined;
}

const ownTime = ['overview', 'my-corrections', 'my-days', 'my-entries'] as const;

/** @param onSent gets the ids of the corrections once the page shows their changes */
export function useSending({
  entry,
  personId,
  onSent,
}: Subject & { readonly onSent: (ids: readonly string[]) => void }): UseMutationResult<
  readonly string[],
  Error,
  /** The entry is struck out if there are no times. */
  { readonly meanings: Meanings | undefined; readonly reason: string }
> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ meanings, reason }) => {
      const reference = entry === undefined ? {} : { entry_id: entry.id };
      const [times, ...furtherTimes] = meanings === undefined ? [{ remove: true }] : timesOf(meanings);
      const body = { ...reference, ...times, reason };
      if (personId === undefined) return [(await ask(client.POST('/app/me/corrections', { body }))).id];
      const params = { path: { id: personId } };
      if (furtherTimes.length === 0)
        return [(await ask(client.POST('/app/people/{id}/corrections', { params, body }))).id];
      const corrections = [{ ...reference, ...times }, ...furtherTimes].map((correction) => ({
        user_id: personId,
        ...correction,
      }));
      const { data } = await ask(client.POST('/app/corrections', { body: { reason, corrections } }));
      return data.map(({ id }) => id);
    },
    onSuccess: async (ids) => {
      const keys = personId === undefined ? ownTime : timeOfOthers;
      await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
      onSent(ids);
    },
  });
}
