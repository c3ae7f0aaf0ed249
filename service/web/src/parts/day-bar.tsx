/**
 * A day as a bar: work, breaks, absence, and the place of a missing clock-out. Our own SVG; positions are parts of the
 * width.
 */
import type { ReactNode } from 'react';

export type BarKind = 'work' | 'break' | 'absence' | 'sick' | 'holiday' | 'missing';
export interface BarPart {
  readonly kind: BarKind;
  /** Minutes since midnight; beyond 1440 the day after. */
  readonly from: number;
  readonly to: number;
}
/** The span of the bars of a list: from and to as minutes since midnight. */
export interface BarWindow {
  readonly from: number;
  readonly to: number;
}

/** Six to eighteen o'clock, or wider by whole hours where a part lies outside. */
export function windowOf(parts: readonly BarPart[]): BarWindow {
  const hour = 60;
  return {
    from: Math.min(6 * hour, ...parts.map(({ from }) => Math.floor(from / hour) * hour)),
    to: Math.max(18 * hour, ...parts.map(({ to }) => Math.ceil(to / hour) * hour)),
  };
}

/** @param label the bar as a sentence: the figures beside it say the same */
export function DayBar({
  parts,
  within,
  label,
  word,
}: {
  readonly parts: readonly BarPart[];
  readonly within: BarWindow;
  readonly label: string;
  readonly word?: string | undefined;
}): ReactNode {
  const length = within.to - within.from;
  const at = (minute: number) => `${(((minute - within.from) / length) * 100).toFixed(2)}%`;
  const hours = Array.from({ length: Math.floor(length / 60) - 1 }, (_, index) => within.from + 60 * (index + 1));
  return (
    <svg className="day-bar" role="img" aria-label={label} width="100%" height="20">
      {hours
        .filter((minute) => minute % 180 === 0)
        .map((minute) => (
          <line key={minute} className="tick" x1={at(minute)} x2={at(minute)} y1="3" y2="17" />
        ))}
      {parts.map(({ kind, from, to }) => (
        <rect
          key={`${kind}${from}`}
          className={`part ${kind}`}
          x={at(from)}
          y="3"
          width={`${(Math.max(0, (to - from) / length) * 100).toFixed(2)}%`}
          height="14"
          rx="3"
        />
      ))}
      {word !== undefined && (
        <text className="bar-word" x="8" y="14">
          {word}
        </text>
      )}
    </svg>
  );
}
