/** Small icons beside words. */
import type { ReactNode } from 'react';

const drawings = {
  today: 'M12 7v5l3 2 M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18z',
  time: 'M4 7h10 M4 12h16 M4 17h7',
  absences: 'M4 6h16v14H4z M4 10h16 M8 3v4 M16 3v4',
  more: 'M5 12h.01 M12 12h.01 M19 12h.01',
  up: 'm8 14 4-4 4 4',
  left: 'm14 7-5 5 5 5',
  right: 'm10 7 5 5-5 5',
  down: 'm7 10 5 5 5-5',
  print: 'M7 8V4h10v4 M7 17H4V9h16v8h-3 M7 14h10v6H7z',
  plus: 'M12 5v14 M5 12h14',
  pencil: 'M4 20l1-4L16 5l3 3L8 19z M14 7l3 3',
} as const;

export function Icon({ name }: { readonly name: keyof typeof drawings }): ReactNode {
  return (
    <svg
      className={name === 'more' ? 'icon dots' : 'icon'}
      viewBox="0 0 24 24"
      width="20"
      height="20"
      aria-hidden="true"
      focusable="false"
    >
      <path d={drawings[name]} />
    </svg>
  );
}
