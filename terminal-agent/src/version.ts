/** Of this program; the package says the same. */
export const version = '1.2.0';
