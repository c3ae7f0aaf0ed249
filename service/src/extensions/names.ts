/**
 * Names of extensions. People read them when they decide on a link, so a name must not look like another one or hide
 * its content.
 */

/**
 * A name as it is stored: composed (NFC), one blank for every run of blanks, none around it.
 * @returns undefined if nothing visible is left, or if it contains a control or format character (Unicode Cc, Cf: line
 * breaks, turns of direction, zero-width characters) or separates lines
 */
export function readExtensionName(text: string): string | undefined {
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)) return undefined;
  const name = text.normalize('NFC').replace(/\s+/g, ' ').trim();
  return comparedName(name) === '' ? undefined : name;
}

/** A key that is equal for names that differ only in case, width and invisible characters. */
export function comparedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
}
