/**
 * Single flight: of the calls with the same name, one runs and the others wait for it, then look again. It only spares
 * the database a queue of writers of the same row: the database decides what is true, also between processes.
 */
export function createSingleFlight(): <T>(
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
