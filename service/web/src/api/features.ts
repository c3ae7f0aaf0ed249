/**
 * The present features of the installation. Every page that depends on one asks again, since other admins switch
 * features too.
 */
import { useQuery } from '@tanstack/react-query';
import { ask, client } from './ask.js';
import type { Session } from './session.js';

export function useFeatures(session: Session): Session['features'] {
  const installation = useQuery({ queryKey: ['installation'], queryFn: () => ask(client.GET('/app/installation')) });
  return installation.data?.features ?? session.features;
}
