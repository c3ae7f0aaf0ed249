/** Minutes as people type them. */
import { minutesOf } from './week-fields.js';

/** `+12:30`, `−3:15`, `4` */
export function signedMinutes(text: string): number | undefined {
  const parts = /^\s*([+\-−]?)\s*([\d.,:]{1,9})\s*$/.exec(text);
  if (parts === null) return undefined;
  const long = /^(\d{1,5}):([0-5]\d)$/.exec(parts[2]!);
  const wholeHours = /^\d{1,5}$/.exec(parts[2]!);
  const minutes =
    long !== null
      ? Number(long[1]) * 60 + Number(long[2])
      : wholeHours !== null
        ? Number(wholeHours[0]) * 60
        : minutesOf(parts[2]!);
  return minutes === undefined ? undefined : parts[1] === '' || parts[1] === '+' ? minutes : -minutes;
}
