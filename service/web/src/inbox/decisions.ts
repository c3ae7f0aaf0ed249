/**
 * Decisions that can be taken back for five seconds: until then the service has not heard of them. The next decision,
 * leaving the page and closing the window send what is held. An operation that undoes a decision would have to take
 * back notices and webhooks, and receivers would have seen both.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';

/** Milliseconds in which a decision can be taken back. */
const undoTime = 5_000;

export type Approval = Schemas['Approval'];
export interface Decision {
  readonly requests: readonly Approval[];
  readonly outcome: 'approved' | 'rejected';
  readonly comment?: string | undefined;
}
export interface Refused {
  readonly request: Approval;
  readonly problem: unknown;
}
export interface Decisions {
  /** Not sent yet. */
  readonly held: Decision | undefined;
  /** Ids of requests that are held or being sent: the list leaves them out. */
  readonly gone: ReadonlySet<string>;
  readonly refused: readonly Refused[];
  decide(decision: Decision): void;
  undo(): void;
}

export function useDecisions(): Decisions {
  const queries = useQueryClient();
  const [held, setHeld] = useState<Decision>();
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const waiting = useRef<{ readonly decision: Decision; readonly timer: ReturnType<typeof setTimeout> }>(undefined);

  const send = useCallback(
    async ({ requests, outcome, comment }: Decision) => {
      for (const request of requests) {
        const params = { path: { id: request.id } };
        // A window that closes still sends it.
        const sent =
          outcome === 'approved'
            ? client.POST('/app/approvals/{id}/approve', {
                params,
                body: comment === undefined ? {} : { comment },
                keepalive: true,
              })
            : client.POST('/app/approvals/{id}/reject', { params, body: { comment: comment! }, keepalive: true });
        try {
          await ask(sent);
        } catch (problem) {
          setRefused((before) => [...before, { request, problem }]);
        }
      }
      // The list is read before it shows the requests again that were refused, so that the others do not flicker.
      await queries.invalidateQueries({ queryKey: ['approvals'] });
      setGone((before) => without(before, requests));
    },
    [queries],
  );
  const flush = useCallback(() => {
    if (waiting.current === undefined) return;
    const { decision, timer } = waiting.current;
    clearTimeout(timer);
    waiting.current = undefined;
    setHeld(undefined);
    void send(decision);
  }, [send]);
  useEffect(() => {
    window.addEventListener('pagehide', flush);
    return () => {
      window.removeEventListener('pagehide', flush);
      flush();
    };
  }, [flush]);

  return {
    held,
    gone,
    refused,
    decide(decision) {
      flush();
      setRefused([]);
      setGone((before) => new Set([...before, ...decision.requests.map(({ id }) => id)]));
      setHeld(decision);
      waiting.current = { decision, timer: setTimeout(flush, undoTime) };
    },
    undo() {
      if (waiting.current === undefined) return;
      const { decision, timer } = waiting.current;
      clearTimeout(timer);
      waiting.current = undefined;
      setHeld(undefined);
      setGone((before) => without(before, decision.requests));
    },
  };
}

function without(ids: ReadonlySet<string>, requests: readonly Approval[]): ReadonlySet<string> {
  const gone = new Set(requests.map(({ id }) => id));
  return new Set([...ids].filter((id) => !gone.has(id)));
}
