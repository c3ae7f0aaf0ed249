/** @returns the text with a full stop, which an abbreviation at its end, such as that of a month, has already */
export const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);
