/** Arrows move between targets, Esc cancels, and typed characters press the key that shows them. */
export function listenToKeys(): void {
  addEventListener('pointerdown', () => delete document.body.dataset['keys']);
  addEventListener('keydown', (event) => {
    document.body.dataset['keys'] = '';
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { key } = event;
    if (key in directions) {
      event.preventDefault();
      move(directions[key as keyof typeof directions]);
    } else if (key === 'Escape') press('[data-cancel]');
    else if (key === 'Backspace') press('[data-key="Backspace"]');
    else if (/^[0-9a-zA-Z]$/.test(key)) press(`[data-key="${key.toUpperCase()}"]`);
    else if (
      key === 'Enter' &&
      document.activeElement?.matches('body, [data-key]:not([data-key="Backspace"])') === true
    ) {
      // Typed to the end: Enter confirms, wherever the focus is in the pad.
      if (press('[data-confirm]:not([aria-disabled="true"])')) event.preventDefault();
    }
  });
}

const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] } as const;

function press(selector: string): boolean {
  const target = document.querySelector<HTMLElement>(selector);
  target?.click();
  return target !== null;
}

/** To the nearest target in this direction; straight ahead counts more than beside. */
function move([x, y]: readonly [number, number]): void {
  const targets = [...document.querySelectorAll<HTMLElement>('button')];
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || !targets.includes(active)) {
    targets[0]?.focus();
    return;
  }
  const from = middle(active);
  let nearest: { readonly target: HTMLElement; readonly distance: number } | undefined;
  for (const target of targets) {
    const to = middle(target);
    const ahead = (to.x - from.x) * x + (to.y - from.y) * y;
    if (target === active || ahead < 4) continue;
    const distance = ahead + 3 * Math.abs((to.x - from.x) * y + (to.y - from.y) * x);
    if (nearest === undefined || distance < nearest.distance) nearest = { target, distance };
  }
  nearest?.target.focus();
}

function middle(element: Element): { readonly x: number; readonly y: number } {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}
