/** The keyboard stays at its place, also when the control that had the focus is gone or busy. */

/** Takes the focus if it was lost with a control that is gone. Also used as the `ref` of the element in its place. */
export function restoreFocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus();
}

/**
 * A button is disabled while its request is under way, and browsers take the focus away from it. It gets it back
 * afterwards, unless the person has gone elsewhere. Listens for as long as the page is open.
 */
export function keepFocusOfBusyButtons(): void {
  let last: HTMLElement | undefined;
  addEventListener('focusin', ({ target }) => {
    last = target as HTMLElement;
  });
  addEventListener('pointerdown', () => {
    last = undefined;
  });
  new MutationObserver((changes) => {
    if (last !== undefined && !last.matches(':disabled') && changes.some(({ target }) => target === last))
      restoreFocus(last);
  }).observe(document.documentElement, { subtree: true, attributeFilter: ['disabled'] });
}
