/**
 * Lets one request of a kind go ahead in this process; the others wait for it and then look again. It only spares the
 * database a queue of writers who all
 * want the same row: what is true is decided there, also between processes.
 */
export function createTurns(): <T>(
  name: string,
  look: () => Promise<T | undefined>,
  work: () => Promise<T>,
) => Promise<T> {
  const running = new Map<string, Promise<unknown>>();
  return async (name, look, work) => {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      const ahead = running.get(name);
      if (ahead === undefined) break;
      await ahead.catch(() => undefined);
    }
    const mine = work();
    running.set(name, mine);
    try {
      return await mine;
    } finally {
      running.delete(name);
    }
  };
}
