/**
 * How quickly the deployment answers. A deployment far away or on a busy machine needs longer for everything, and is not
 * accused of it: the limit of a requirement grows with the usual time of an answer, up to ten times. And what never came
 * within its time is a breach only if the deployment answered other requests within a second meanwhile; otherwise the
 * kit cannot tell a thing that is late from one that is lost.
 */
export class Pace {
  readonly #answers: { readonly at: number; readonly took: number }[] = [];

  /** @param took milliseconds from a request to its answer */
  record(took: number, at = Date.now()): void {
    this.#answers.push({ at, took });
    if (this.#answers.length > 500) this.#answers.splice(0, 250);
  }

  /** What limits are multiplied with: 1 up to 50 ms an answer, 10 from half a second on. */
  get factor(): number {
    return Math.min(10, Math.max(1, median(this.#answers.slice(-50)) / 50));
  }

  /** The usual time of an answer since an instant, in milliseconds. */
  since(from: number): number {
    return median(this.#answers.filter(({ at }) => at >= from));
  }
}

/** Of the times; 0 if there are none. */
function median(answers: readonly { readonly took: number }[]): number {
  const sorted = answers.map(({ took }) => took).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
