/** Breaks as they stand in a row: JSON of `[start, end|null]` pairs, oldest first. */
import type { Break } from './clock-state.js';

export function readBreaks(json: string): Break[] {
  if (json === '[]') return [];
  return (JSON.parse(json) as [number, number | null][]).map(([start, end]) =>
    end === null ? { start } : { start, end },
  );
}

export function writeBreaks(breaks: readonly Break[]): string {
  return JSON.stringify(breaks.map((interval) => [interval.start, interval.end ?? null]));
}
