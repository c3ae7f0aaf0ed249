/** The bar on top of every page: the product, the language, the signed-in person. One row at every width. */
import { type ReactNode, useContext } from 'react';
import { Link } from 'wouter';
import { type Language, LanguageContext, languageNames } from '../words/words.js';

/** @param children the signed-in person, and a menu that takes over the languages where the bar is narrow */
export function Bar({ children }: { readonly children?: ReactNode }): ReactNode {
  const { words } = useContext(LanguageContext);
  return (
    <header className="bar">
      <Link href="/" className="brand" aria-label={`Clockproof – ${words.start_page}`}>
        <img src="/icon.svg" alt="" />
        Clockproof
      </Link>
      <span className="grow" />
      <Languages />
      {children}
    </header>
  );
}

export function Languages(): ReactNode {
  const { language, words, setLanguage } = useContext(LanguageContext);
  return (
    <fieldset className="languages" aria-label={words.language_of_page}>
      {(Object.keys(languageNames) as Language[]).map((offeredLanguage) => (
        <button
          key={offeredLanguage}
          type="button"
          lang={offeredLanguage}
          aria-pressed={offeredLanguage === language}
          onClick={() => setLanguage(offeredLanguage)}
        >
          {languageNames[offeredLanguage]}
        </button>
      ))}
    </fieldset>
  );
}
