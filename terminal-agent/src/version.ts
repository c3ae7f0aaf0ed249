/** The version of this program, as in its package. */
export const version = '1.2.0';
