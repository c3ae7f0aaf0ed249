/** The second factors that the person has set up. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ask, client } from './ask.js';
import type { Schemas } from './session.js';

export const secondFactorKey = ['second-factor'];

export function useSecondFactor(): UseQueryResult<Schemas['SecondFactor']> {
  return useQuery({ queryKey: secondFactorKey, queryFn: () => ask(client.GET('/app/second-factor')) });
}
