/**
 * The speed of the deployment's answers. A deployment far away or on a busy machine needs longer for everything, and
 * that is no breach: the limit of a requirement grows with the usual time of an answer, up to ten times. An event that
 * did not come within its time is a breach only if the deployment answered other requests as quickly as ever meanwhile:
 * up to 300 ms later than its quick answers, which tell its distance. Otherwise the kit cannot tell late from lost.
 */
export class Pace {
  readonly #answers: { readonly at: number; readonly duration: number }[] = [];

  /** @param duration milliseconds from a request to its answer */
  record(duration: number, at = Date.now()): void {
    this.#answers.push({ at, duration });
    if (this.#answers.length > 500) this.#answers.splice(0, 250);
  }

  /** The factor of all limits: 1 up to 50 ms an answer, 10 from half a second on. */
  get factor(): number {
    return Math.min(10, Math.max(1, median(this.#answers.slice(-50)) / 50));
  }

  /** The delay of a usual answer since an instant compared to a quick one, in milliseconds. */
  delaySince(from: number): number {
    return median(this.#answers.filter(({ at }) => at >= from)) - share(this.#answers, 0.1);
  }
}

interface Timed {
  readonly duration: number;
}

/** The time that this share of the answers did not exceed; 0 if there are none. */
function share(answers: readonly Timed[], part: number): number {
  const durations = answers.map(({ duration }) => duration).sort((a, b) => a - b);
  return durations[Math.floor(durations.length * part)] ?? 0;
}
const median = (answers: readonly Timed[]) => share(answers, 0.5);

/** Milliseconds since 1970, finer than one: if one thing begins after another has ended, its time is later. */
export const currentTime = (): number => performance.timeOrigin + performance.now();
