/**
 * Work that is cheaper done together: while one group is worked on, requests wait and become the next group. Where
 * several did, the next group waits a moment until as many are there again: their clients have only just been answered.
 * A request that comes alone does not wait at all.
 */

export interface Waiting<Request, Answer> {
  readonly request: Request;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

export interface GatherOptions {
  /** Requests in one group. */
  readonly most: number;
  /** After so long, the next group begins beside one that is still worked on. */
  readonly patienceMilliseconds: number;
  /** So long after a group, the next one waits for as many as there were. */
  readonly crowdMilliseconds: number;
}

/**
 * @param work answers every request of a group, now or later; it may hand some back, which are the first of the next
 * group. What it throws answers those that are left.
 */
export function gather<Request, Answer>(
  work: (group: readonly Waiting<Request, Answer>[]) => Promise<readonly Waiting<Request, Answer>[] | undefined>,
  { most, patienceMilliseconds, crowdMilliseconds }: GatherOptions,
): (request: Request) => Promise<Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let working: object | undefined;
  let patience: NodeJS.Timeout | undefined;
  /** How many were worked on or waited when the last group ended; 1 a moment later. */
  let crowd = 1;
  let moment: NodeJS.Timeout | undefined;

  function begin(): void {
    clearTimeout(patience);
    clearTimeout(moment);
    patience = moment = undefined;
    const group = waiting.splice(0, most);
    const mine = {};
    working = group.length === 0 ? undefined : mine;
    if (working === undefined) return;
    if (waiting.length > 0) beginLater();
    void work(group)
      .then(
        (back = []) => {
          waiting = [...back, ...waiting];
        },
        (reason: unknown) => {
          for (const one of group) one.reject(reason);
        },
      )
      .then(() => {
        if (working === mine || working === undefined) end(group.length);
      });
  }

  function end(worked: number): void {
    working = undefined;
    crowd = Math.min(most, worked + waiting.length);
    clearTimeout(moment);
    moment = undefined;
    if (crowd > 1)
      moment = setTimeout(() => {
        crowd = 1;
        begin();
      }, crowdMilliseconds);
    beginComplete();
  }

  function beginComplete(): void {
    if (waiting.length >= crowd) begin();
  }

  /** Called while there are requests that wait for a group. */
  function beginLater(): void {
    patience ??= setTimeout(begin, patienceMilliseconds);
  }

  return (request) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (working === undefined) beginComplete();
      else beginLater();
    });
}

/**
 * The same read, asked for by many at once: those that ask while it runs share the one after it. So an answer is never
 * older than the question. They do not wait for a read that hangs: theirs begins beside it.
 */
export function shareReads<Answer>(
  read: (key: string) => Promise<Answer>,
  { patienceMilliseconds = 200 }: { readonly patienceMilliseconds?: number } = {},
): (key: string) => Promise<Answer> {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<Answer>>();
  const start = (key: string): Promise<Answer> => {
    const reading = read(key);
    const over = reading.then(
      () => undefined,
      () => undefined,
    );
    running.set(key, over);
    void over.then(() => {
      if (running.get(key) === over) running.delete(key);
    });
    return reading;
  };
  return (key) => {
    const ahead = running.get(key);
    if (ahead === undefined) return start(key);
    let shared = next.get(key);
    if (shared === undefined) {
      shared = withPatience(ahead, patienceMilliseconds).then(() => {
        next.delete(key);
        return start(key);
      });
      next.set(key, shared);
    }
    return shared;
  };
}

function withPatience(ahead: Promise<unknown>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void ahead.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
