/** Events, as an integration pulls them. */
export interface StageEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly timestamp: string;
  readonly data: { readonly clock_state?: { readonly user_id: number } };
}

export interface EventFeed {
  /** The events after this position; then each later group, as it comes. */
  follow(position: string, take: (events: readonly StageEvent[]) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export function createEventFeed(serviceUrl: string, key: string): EventFeed {
  const stopping = new AbortController();
  let lastPosition = '';
  let loop: Promise<void> = Promise.resolve();
  const pull = async (wait: number): Promise<StageEvent[]> => {
    const response = await fetch(`${serviceUrl}/api/v1/events?after=${lastPosition}&limit=500&wait=${wait}`, {
      headers: { authorization: `Bearer ${key}` },
      // A signal of its own: fetch lets go of it only once it is collected, and Node warns of the eleventh listener.
      signal: AbortSignal.any([stopping.signal]),
    });
    if (!response.ok) throw new Error(`/api/v1/events answers ${response.status}`);
    const page = (await response.json()) as { data: StageEvent[]; next_after: string; has_more: boolean };
    lastPosition = page.next_after;
    return page.has_more ? [...page.data, ...(await pull(0))] : page.data;
  };
  const pullUntilStopped = async (take: (events: readonly StageEvent[]) => Promise<void>) => {
    while (!stopping.signal.aborted) {
      try {
        const events = await pull(25);
        if (events.length > 0) await take(events);
      } catch {
        if (!stopping.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
  };
  return {
    async follow(position, take) {
      lastPosition = position;
      await take(await pull(0));
      loop = pullUntilStopped(take);
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
