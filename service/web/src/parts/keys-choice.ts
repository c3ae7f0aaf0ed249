/** Whether single keys act; the choice is kept in this browser, and they can be switched off (WCAG 2.1.4). */
const keysOff = 'clockproof.keys-off';

export function keysAreOn(): boolean {
  return localStorage.getItem(keysOff) === null;
}

export function keepKeysChoice(on: boolean): void {
  if (on) localStorage.removeItem(keysOff);
  else localStorage.setItem(keysOff, '1');
}
