/** Decides whether a page may be left; set by `unsaved.tsx`, which comes after the first page. */
export const leaving = {
  /**
   * @param _again repeats the navigation after all
   * @param _within a selector: narrows the question to forms inside of its elements
   */
  mayLeave: (_again: () => void, _within?: string): boolean => true,
  /** The browser has gone back or forward. False: it was brought back to its earlier page. */
  onPopState: (): boolean => true,
};
