/** Pasted texts: copied from a PDF with spaces and line breaks, or as the link of a ledger's explorer. */

/** Spaces, line breaks, and characters that are copied along without being seen. */
const invisibleCharacters = /[\s\u00ad\u200b-\u200f\u2060\ufeff]/g;
const isDigest = (text) => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text);

/** @returns a fingerprint without spaces; any other text stays recognisable as wrong */
export const rootIn = (text) => text.replace(invisibleCharacters, '');

/** @returns the transaction in a link, or the text without spaces */
export function transactionIn(text) {
  const compactText = text.replace(invisibleCharacters, '');
  if (!/^https?:\/\//i.test(compactText)) return compactText;
  return compactText.split(/[/?#&=]/).find(isDigest) ?? compactText;
}
