/** Shapes that say the same as the colours. */
import type { TerminalAction } from '../../src/terminal-api.js';
import { svg } from './element.js';

function icon(className: string, viewBox: string, ...shapes: readonly SVGElement[]): SVGElement {
  return svg('svg', { class: `icon ${className}`, viewBox, 'aria-hidden': 'true', focusable: 'false' }, ...shapes);
}
const path = (d: string, more: Readonly<Record<string, string>> = {}) =>
  svg('path', {
    d,
    fill: 'none',
    stroke: 'currentColor',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    ...more,
  });
const circle = (r: string, more: Readonly<Record<string, string>>) => svg('circle', { cx: '12', cy: '12', r, ...more });

/** In = disc, break = half, out = ring. */
export function stateIcon(state: 'in' | 'on_break' | 'out'): SVGElement {
  if (state === 'in') return icon('state', '0 0 24 24', circle('11', { fill: 'currentColor' }));
  const ring = circle('10', { fill: 'none', stroke: 'currentColor', 'stroke-width': '2.6' });
  if (state === 'out') return icon('state', '0 0 24 24', ring);
  return icon('state', '0 0 24 24', ring, svg('path', { d: 'M12 2a10 10 0 0 0 0 20z', fill: 'currentColor' }));
}

export function actionIcon(action: TerminalAction): SVGElement {
  return stateIcon(({ in: 'in', out: 'out', break_start: 'on_break', break_end: 'in' } as const)[action]);
}

/** Accepted = disc with tick. */
export const tick = () =>
  icon(
    'tick',
    '0 0 24 24',
    circle('12', { fill: 'currentColor' }),
    path('M7 12.4l3.4 3.3L17.2 9', { class: 'mark', 'stroke-width': '2.4' }),
  );

/** Refused = octagon with cross. */
export const octagon = () =>
  icon(
    'octagon',
    '0 0 24 24',
    path('M7.6 1.2h8.8l6.4 6.4v8.8l-6.4 6.4H7.6l-6.4-6.4V7.6z', { 'stroke-width': '1.6', 'stroke-linejoin': 'miter' }),
    path('M8.9 8.9l6.2 6.2M15.1 8.9l-6.2 6.2', { 'stroke-width': '2.2' }),
  );

export const warning = () =>
  icon(
    'warning',
    '0 0 24 24',
    path('M12 3.2 22 20.6H2z', { 'stroke-width': '1.6' }),
    path('M12 9.6v5', { 'stroke-width': '2' }),
    svg('circle', { cx: '12', cy: '17.6', r: '1.2', fill: 'currentColor' }),
  );

/** Offline = slashed ring. */
export const slashed = () =>
  icon(
    'slashed',
    '0 0 24 24',
    circle('10.4', { fill: 'none', stroke: 'currentColor', 'stroke-width': '2.4' }),
    path('M5.2 18.8 18.8 5.2', { 'stroke-width': '2.4' }),
  );

export const ring = () =>
  icon('ring', '0 0 24 24', circle('10', { fill: 'none', stroke: 'currentColor', 'stroke-width': '3' }));

export const lock = () =>
  icon(
    'lock',
    '0 0 24 24',
    svg('rect', {
      x: '4',
      y: '10',
      width: '16',
      height: '12',
      rx: '2.4',
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': '2',
    }),
    path('M8 10V6.6a4 4 0 0 1 8 0V10', { 'stroke-width': '2' }),
  );

export const cross = () => icon('cross', '0 0 24 24', path('M4 4l16 16M20 4 4 20', { 'stroke-width': '2.2' }));

export const backspace = () =>
  icon(
    'backspace',
    '0 0 44 32',
    path('M14 2h26a3 3 0 0 1 3 3v22a3 3 0 0 1-3 3H14L2 16z', { 'stroke-width': '2.8' }),
    path('M21 10l12 12M33 10 21 22', { 'stroke-width': '2.8' }),
  );

/** A badge on its way to the reader. */
export function badgeHint(): SVGElement {
  const card = (className: string, x: string) =>
    svg('rect', { class: className, x, y: '10', width: '104', height: '160', rx: '12', 'stroke-width': '4' });
  const line = (x1: string, x2: string, y: string) => svg('line', { x1, x2, y1: y, y2: y, 'stroke-width': '6' });
  const wave = (className: string, d: string) => path(d, { class: `wave ${className}`, 'stroke-width': '6' });
  return icon(
    'hint',
    '0 0 274 180',
    card('trail far', '4'),
    card('trail near', '26'),
    svg(
      'g',
      { class: 'badge', stroke: 'currentColor', 'stroke-linecap': 'round' },
      card('card', '52'),
      svg('line', { x1: '93', x2: '115', y1: '28', y2: '28', 'stroke-width': '7' }),
      svg('circle', { cx: '104', cy: '76', r: '23', 'stroke-width': '3.4', fill: 'none' }),
      line('76', '132', '124'),
      line('76', '110', '143'),
    ),
    wave('third', 'M222 6a115 115 0 0 0 0 168'),
    wave('second', 'M244 32a82 82 0 0 0 0 116'),
    wave('first', 'M267 58a50 50 0 0 0 0 64'),
  );
}
