/**
 * How long a proof usually takes at a reader, and whether one took much longer. A card whose bytes are carried over a
 * distance answers later: a relay of two phones adds 30 to 500 ms to each command. One that is faster than that is not
 * found, so this is a hint and no proof of distance. Pure.
 */

/** In microseconds, because the average moves by less than a millisecond. */
export interface Usual {
  readonly samples: number;
  readonly mean: number;
  /** Mean distance from the mean. */
  readonly deviation: number;
}

/** So many proofs before anything is unusual. */
export const learning = 20;
/** The average of about so many proofs. */
const memory = 32;
/** At least so much more is slow, in microseconds: readers and PCs have bad moments. */
const least = 50_000;
const deviations = 6;

/** @returns whether it was slow, and what is usual from now on */
export function judgeTiming(
  usual: Usual | undefined,
  tookMs: number,
): { readonly slow: boolean; readonly usual: Usual } {
  const took = tookMs * 1_000;
  if (usual === undefined) return { slow: false, usual: { samples: 1, mean: took, deviation: 0 } };
  const limit = usual.mean + Math.max(least, deviations * usual.deviation);
  const slow = usual.samples >= learning && took > limit;
  // Slow ones move what is usual no further than to the limit: nobody can accustom the service to them quickly.
  const sample = usual.samples >= learning ? Math.min(took, limit) : took;
  const weight = 1 / Math.min(usual.samples + 1, memory);
  const mean = Math.round(usual.mean + (sample - usual.mean) * weight);
  const deviation = Math.round(usual.deviation + (Math.abs(sample - mean) - usual.deviation) * weight);
  return { slow, usual: { samples: usual.samples + 1, mean, deviation } };
}
