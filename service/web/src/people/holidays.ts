/** The company's holidays that lie in a span of days. */
import { useQueries } from '@tanstack/react-query';
import { ask, client } from '../api/ask.js';
import { isWeekend } from '../parts/calendar.js';

export interface NamedHoliday {
  readonly name: string;
  readonly half_day: boolean;
}
export type NamedHolidays = ReadonlyMap<string, NamedHoliday>;

/** The company's holidays, by date. */
export function useHolidays(from: string, to: string): NamedHolidays {
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

/** A constant, so that the answers are combined again only when one changes. */
function byDate(
  answers: readonly { readonly data: { readonly data: readonly (NamedHoliday & { date: string })[] } | undefined }[],
): NamedHolidays {
  return new Map(answers.flatMap(({ data }) => (data?.data ?? []).map((holiday) => [holiday.date, holiday] as const)));
}

/** The reason why nobody is expected on a day. */
export function freeOf(day: string, holidays: NamedHolidays): 'holiday' | 'weekend' | undefined {
  return holidays.get(day)?.half_day === false ? 'holiday' : isWeekend(day) ? 'weekend' : undefined;
}
