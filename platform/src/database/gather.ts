/**
 * Work that is cheaper done together: while one group is worked on, requests wait and become the next group. One that
 * comes alone does not wait at all.
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
}

/**
 * @param work answers every request of a group, now or later; it may hand some back, which are the first of the next
 * group. What it throws answers those that are left.
 */
export function gather<Request, Answer>(
  work: (group: readonly Waiting<Request, Answer>[]) => Promise<readonly Waiting<Request, Answer>[] | undefined>,
  { most, patienceMilliseconds }: GatherOptions,
): (request: Request) => Promise<Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let working: object | undefined;
  let patience: NodeJS.Timeout | undefined;

  function begin(): void {
    clearTimeout(patience);
    patience = undefined;
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
        if (working === mine || working === undefined) begin();
      });
  }

  /** Called while there are requests that wait for a group. */
  function beginLater(): void {
    patience ??= setTimeout(begin, patienceMilliseconds);
  }

  return (request) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (working === undefined) begin();
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
