/**
 * Live pages: the service names the kind of a change, and the queries that show it ask again. A hidden page follows
 * nothing, and asks again for everything when it is seen. After a while without input it asks with the next input:
 * asking prolongs the session.
 */
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { refreshSession } from './session.js';

/** The queries that show a kind of change, by the first word of their key. A new live page adds its line. */
const shownIn: Readonly<Record<string, readonly string[]>> = {
  absence: [
    'approvals',
    'presence',
    'my-people',
    'team-absences',
    'vacation-of',
    'overview',
    'my-absences',
    'my-days',
    'days-of',
    'my-vacation',
    'extension-events',
  ],
  absence_type: ['absence-types', 'rules'],
  badge: ['badges', 'issuing'],
  card: ['issuing'],
  clock: [
    'presence',
    'my-people',
    'overview',
    'my-days',
    'my-entries',
    'my-months',
    'days-of',
    'entries-of',
    'months-of',
    'without-end',
    'extension-events',
  ],
  company: ['companies', 'company', 'rules', 'my-holidays', 'session', 'presence', 'team-absences'],
  commitment: ['months', 'own-proofs'],
  connection: ['extension-connections'],
  correction: ['approvals', 'my-people', 'months-of', 'report', 'overview', 'my-corrections', 'my-days'],
  delivery: ['extension-deliveries', 'extension-recovery', 'extensions'],
  department: ['companies', 'company', 'departments', 'people'],
  entitlement: ['overview', 'my-vacation', 'vacation-of'],
  vacation: ['overview', 'my-people', 'my-vacation', 'vacation-of'],
  entry: [
    'approvals',
    'presence',
    'my-people',
    'report',
    'overview',
    'my-days',
    'my-entries',
    'my-months',
    'my-history',
    'days-of',
    'entries-of',
    'months-of',
    'history-of',
    'months',
    'without-end',
    'bulk-rows',
  ],
  extension: ['extensions', 'extension-deliveries', 'extension-events'],
  link: ['extension-links', 'linked-apps', 'extension-events'],
  month: ['months', 'own-proofs', 'overview', 'my-days', 'my-entries', 'my-months', 'days-of', 'months-of'],
  notice: ['notices'],
  offline_stamp: ['approvals', 'my-people', 'unresolved-stamps'],
  passkey: ['passkeys'],
  pin: ['badges', 'pin'],
  people_access: ['access', 'installation', 'session'],
  person: ['session', 'people', 'person', 'presence'],
  second_factor: ['second-factor'],
  session: ['sessions'],
  terminal: ['terminals'],
  sign_in: ['sessions'],
};
/** The family that stands for every kind of change. */
const allFamilies = '*';

function refresh(queries: QueryClient, families: readonly string[]): void {
  const queryNames = new Set(families.flatMap((family) => shownIn[family] ?? []));
  const isAll = families.includes(allFamilies);
  void queries.invalidateQueries({
    predicate: ({ queryKey: [first] }) => (isAll && first !== 'session') || queryNames.has(String(first)),
  });
}

/** Time without input, in milliseconds, after which the person may be away. */
const attention = 5 * 60_000;
/** The delay between attempts after a refusal. It doubles each time up to the longest, in milliseconds. */
const firstPause = 1_000;
const longestPause = 60_000;
const inputs = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'touchstart'] as const;

let isConnected = false;
const watchers = new Set<() => void>();
function tellConnected(value: boolean): void {
  isConnected = value;
  for (const tell of watchers) tell();
}

/** Whether the page receives changes now. */
export function useConnected(): boolean {
  return useSyncExternalStore(
    (tell) => {
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
    () => isConnected,
  );
}

/** Follows changes while the page is seen. @returns ends it */
export function followChanges(queries: QueryClient): () => void {
  let stream: EventSource | undefined;
  let wasOpened = false;
  let pause = firstPause;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let lastInput = Date.now();
  const postponedFamilies = new Set<string>();
  const refreshOrPostpone = (families: readonly string[]) => {
    if (Date.now() - lastInput < attention) refresh(queries, families);
    else for (const family of families) postponedFamilies.add(family);
  };
  const noticeInput = () => {
    lastInput = Date.now();
    if (postponedFamilies.size === 0) return;
    refresh(queries, [...postponedFamilies]);
    postponedFamilies.clear();
  };
  const begin = () => {
    stream ??= new EventSource('/app/live');
    stream.onopen = () => {
      tellConnected(true);
      pause = firstPause;
      // The stream did not report changes while it was closed.
      if (wasOpened) refreshOrPostpone([allFamilies]);
      wasOpened = true;
    };
    stream.onerror = () => {
      tellConnected(false);
      // The browser reconnects after a break but not after a refusal: the session may be over, or the service away.
      if (stream?.readyState !== EventSource.CLOSED) return;
      stream = undefined;
      if (Date.now() - lastInput < attention) void refreshSession(queries);
      wasOpened = true;
      clearTimeout(retry);
      retry = setTimeout(follow, pause * (0.5 + Math.random() / 2));
      pause = Math.min(2 * pause, longestPause);
    };
    stream.addEventListener('changed', ({ data }: MessageEvent<string>) => {
      refreshOrPostpone((JSON.parse(data) as { families: string[] }).families);
    });
  };
  const end = () => {
    clearTimeout(retry);
    stream?.close();
    stream = undefined;
    tellConnected(false);
  };
  const follow = () => {
    if (document.visibilityState === 'visible') begin();
    else end();
  };
  const resume = () => {
    follow();
    if (document.visibilityState === 'visible') noticeInput();
  };
  follow();
  document.addEventListener('visibilitychange', resume);
  for (const input of inputs) document.addEventListener(input, noticeInput, { passive: true });
  return () => {
    document.removeEventListener('visibilitychange', resume);
    for (const input of inputs) document.removeEventListener(input, noticeInput);
    end();
  };
}
