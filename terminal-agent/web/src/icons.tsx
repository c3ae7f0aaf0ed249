/** Shapes that say the same as the colours. */
import type { ComponentChildren } from 'preact';
import type { TerminalAction } from '../../src/terminal-api.js';

function Icon({
  name,
  viewBox = '0 0 24 24',
  children,
}: {
  name: string;
  viewBox?: string;
  children: ComponentChildren;
}) {
  return (
    <svg class={`icon ${name}`} viewBox={viewBox} aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

const line = { fill: 'none', stroke: 'currentColor', 'stroke-linecap': 'round', 'stroke-linejoin': 'round' } as const;
const circle = { cx: 12, cy: 12, fill: 'none', stroke: 'currentColor' } as const;

/** In = disc, break = half, out = ring. */
export const StateIcon = ({ state }: { state: 'in' | 'on_break' | 'out' }) => (
  <Icon name="state">
    {state === 'in' ? (
      <circle cx="12" cy="12" r="11" fill="currentColor" />
    ) : (
      <circle {...circle} r="10" stroke-width="2.6" />
    )}
    {state === 'on_break' && <path d="M12 2a10 10 0 0 0 0 20z" fill="currentColor" />}
  </Icon>
);

const stateAfter = { in: 'in', out: 'out', break_start: 'on_break', break_end: 'in' } as const;
export const ActionIcon = ({ action }: { action: TerminalAction }) => <StateIcon state={stateAfter[action]} />;

/** Accepted = disc with tick. */
export const Tick = () => (
  <Icon name="tick">
    <circle cx="12" cy="12" r="12" fill="currentColor" />
    <path {...line} d="M7 12.4l3.4 3.3L17.2 9" class="mark" stroke-width="2.4" />
  </Icon>
);

/** Refused = octagon with cross. */
export const Octagon = () => (
  <Icon name="octagon">
    <path
      {...line}
      d="M7.6 1.2h8.8l6.4 6.4v8.8l-6.4 6.4H7.6l-6.4-6.4V7.6z"
      stroke-width="1.6"
      stroke-linejoin="miter"
    />
    <path {...line} d="M8.9 8.9l6.2 6.2M15.1 8.9l-6.2 6.2" stroke-width="2.2" />
  </Icon>
);

export const Warning = () => (
  <Icon name="warning">
    <path {...line} d="M12 3.2 22 20.6H2z" stroke-width="1.6" />
    <path {...line} d="M12 9.6v5" stroke-width="2" />
    <circle cx="12" cy="17.6" r="1.2" fill="currentColor" />
  </Icon>
);

/** Offline = slashed ring. */
export const Slashed = () => (
  <Icon name="slashed">
    <circle {...circle} r="10.4" stroke-width="2.4" />
    <path {...line} d="M5.2 18.8 18.8 5.2" stroke-width="2.4" />
  </Icon>
);

export const Ring = () => (
  <Icon name="ring">
    <circle {...circle} r="10" stroke-width="3" />
  </Icon>
);

export const Lock = () => (
  <Icon name="lock">
    <rect x="4" y="10" width="16" height="12" rx="2.4" fill="none" stroke="currentColor" stroke-width="2" />
    <path {...line} d="M8 10V6.6a4 4 0 0 1 8 0V10" stroke-width="2" />
  </Icon>
);

export const Cross = () => (
  <Icon name="cross">
    <path {...line} d="M4 4l16 16M20 4 4 20" stroke-width="2.2" />
  </Icon>
);

export const Backspace = () => (
  <Icon name="backspace" viewBox="0 0 44 32">
    <path {...line} d="M14 2h26a3 3 0 0 1 3 3v22a3 3 0 0 1-3 3H14L2 16z" stroke-width="2.8" />
    <path {...line} d="M21 10l12 12M33 10 21 22" stroke-width="2.8" />
  </Icon>
);

const card = { y: 10, width: 104, height: 160, rx: 12, 'stroke-width': 4 };

/** A badge on its way to the reader. */
export const BadgeHint = () => (
  <Icon name="hint" viewBox="0 0 274 180">
    <rect {...card} class="trail far" x="4" />
    <rect {...card} class="trail near" x="26" />
    <g class="badge" stroke="currentColor" stroke-linecap="round">
      <rect {...card} class="card" x="52" />
      <line x1="93" x2="115" y1="28" y2="28" stroke-width="7" />
      <circle cx="104" cy="76" r="23" stroke-width="3.4" fill="none" />
      <line x1="76" x2="132" y1="124" y2="124" stroke-width="6" />
      <line x1="76" x2="110" y1="143" y2="143" stroke-width="6" />
    </g>
    <path {...line} class="wave third" d="M222 6a115 115 0 0 0 0 168" stroke-width="6" />
    <path {...line} class="wave second" d="M244 32a82 82 0 0 0 0 116" stroke-width="6" />
    <path {...line} class="wave first" d="M267 58a50 50 0 0 0 0 64" stroke-width="6" />
  </Icon>
);
