/** The language of the person, the sentences in it, and its formats of dates. */
import { createContext, useContext, useMemo, useSyncExternalStore } from 'react';
import type { Words } from './en.js';

export type { Words };
export type Language = 'de' | 'en';
/** The name of each language in itself. */
export const languageNames: Readonly<Record<Language, string>> = { de: 'Deutsch', en: 'English' };
const dictionaries = new Map<Language, Words>();
const listeners = new Set<() => void>();

/** Loads the sentences of a language, without which nothing is shown. */
export async function loadWords(language: Language): Promise<void> {
  if (dictionaries.has(language)) return;
  dictionaries.set(language, language === 'de' ? (await import('./de.js')).de : (await import('./en.js')).en);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The sentences of a language, once they are loaded. */
export function useDictionary(language: Language): Words | undefined {
  return useSyncExternalStore(subscribe, () => dictionaries.get(language));
}

/** The nearest language the pages speak to a BCP 47 tag. */
export function languageOf(tag: string | null | undefined): Language | undefined {
  const primary = tag?.toLowerCase().split('-', 1)[0];
  return primary === 'de' || primary === 'en' ? primary : undefined;
}

const languageKey = 'clockproof.language';

/**
 * The last choice in this browser, or the browser's own language. After the sign-in the person's own setting applies.
 */
export function languageOfBrowser(): Language {
  return (
    languageOf(localStorage.getItem(languageKey)) ??
    navigator.languages.map(languageOf).find((language) => language !== undefined) ??
    'en'
  );
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(languageKey, language);
}

export interface LanguageState {
  readonly language: Language;
  readonly words: Words;
  setLanguage(language: Language): void;
}
export const LanguageContext = createContext<LanguageState>({
  language: 'en',
  words: {} as Words,
  setLanguage: () => undefined,
});

export function useWords(): Words {
  return useContext(LanguageContext).words;
}

/** Formats without a clock. */
export interface PlainFormats {
  /** Seconds with a sign and one decimal. */
  offset(seconds: number): string;
  country(code: string): string;
}

export const localeOf = (language: Language) => (language === 'de' ? 'de-DE' : 'en-GB');

export function usePlainFormats(): PlainFormats {
  const { language } = useContext(LanguageContext);
  return useMemo(() => plainFormatsOf(language), [language]);
}

function plainFormatsOf(language: Language): PlainFormats {
  const locale = localeOf(language);
  const offset = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'second',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  });
  const names = new Intl.DisplayNames([locale], { type: 'region' });
  return {
    offset: (seconds) => offset.format(seconds),
    country: (code) => names.of(code) ?? code,
  };
}
