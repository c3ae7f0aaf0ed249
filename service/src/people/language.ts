import type { LocalDate } from '@clockproof/platform/time/local-date';

/** A text in each language of the product. */
export interface Localized<Text = string> {
  readonly de: Text;
  readonly en: Text;
}

/** A text in the reader's language. @param language BCP 47: German for `de` and its regions, English for every other */
export function inLanguage<Text>(language: string, texts: Localized<Text>): Text {
  return /^de(?:-|$)/i.test(language) ? texts.de : texts.en;
}

const days = {
  de: new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeZone: 'UTC' }),
  en: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
};

/** A date within a sentence: `23 November 2026`, `23. November 2026`. */
export function dayInLanguage(language: string, date: LocalDate): string {
  return inLanguage(language, days).format(Date.parse(`${date}T00:00:00Z`));
}
