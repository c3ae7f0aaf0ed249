/** Rows that are drawn and removed together. */
export const step = 10;

/** @param top distance of the list's top above the window; less than 0 while it begins below. Pixels. */
export function rowsBetween(top: number, height: number, row: number): { readonly from: number; readonly to: number } {
  return {
    from: Math.max(0, (Math.floor(top / row / step) - 1) * step),
    to: Math.max(step, (Math.ceil((top + height) / row / step) + 1) * step),
  };
}
