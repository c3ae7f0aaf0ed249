/** A text in the reader's language. @param language BCP 47: German for `de` and its regions, English for every other */
export function inLanguage<Text>(language: string, texts: { readonly de: Text; readonly en: Text }): Text {
  return /^de(?:-|$)/i.test(language) ? texts.de : texts.en;
}
