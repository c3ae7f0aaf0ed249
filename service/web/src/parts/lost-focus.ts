/**
 * Takes the focus if it was lost with a control that is gone, so that the keyboard goes on where the person was. Also
 * for `ref`, of what takes that control's place.
 */
export function takeLostFocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus();
}
