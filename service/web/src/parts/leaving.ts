/** What decides whether a page may be left (`unsaved.tsx`, which comes after the first page). */
export const leaving = {
  /** @param _again does it after all @param _within narrows the question to forms inside what the selector names */
  mayLeave: (_again: () => void, _within?: string): boolean => true,
  /** The browser has gone back or forward. False: it was brought back to where it was. */
  onPopState: (): boolean => true,
};
