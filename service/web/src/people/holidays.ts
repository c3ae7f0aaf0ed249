/** The public holidays of the company's region that lie in a span of days. */
import { useQueries } from '@tanstack/react-query';
import { ask, client } from '../api/ask.js';
import { isWeekend } from '../parts/calendar.js';

/** @returns the name of each holiday, by its date */
export function useHolidays(from: string, to: string): ReadonlyMap<string, string> {
  const years = [...new Set([Number(from.slice(0, 4)), Number(to.slice(0, 4))])];
  return useQueries({
    queries: years.map((year) => ({
      queryKey: ['my-holidays', year],
      queryFn: () => ask(client.GET('/app/me/holidays', { params: { query: { year } } })),
      staleTime: 3_600_000,
    })),
    combine: byDate,
  });
}

/** Named once, so that it is combined again only when an answer changes. */
function byDate(
  answers: readonly { readonly data: { readonly data: readonly { date: string; name: string }[] } | undefined }[],
): ReadonlyMap<string, string> {
  return new Map(answers.flatMap(({ data }) => (data?.data ?? []).map(({ date, name }) => [date, name] as const)));
}

/** Why nobody is expected on a day. */
export function freeOf(day: string, holidays: ReadonlyMap<string, string>): 'holiday' | 'weekend' | undefined {
  return holidays.has(day) ? 'holiday' : isWeekend(day) ? 'weekend' : undefined;
}
