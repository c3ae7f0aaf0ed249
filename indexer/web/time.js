// With the zone: `long` names it.
const locales = { de: 'de-DE', en: 'en-GB' };

/** @param instant as the API gives it @param language `de` or `en` */
export const timeOf = (instant, language) =>
  new Date(instant).toLocaleString(locales[language], { dateStyle: 'long', timeStyle: 'long' });
