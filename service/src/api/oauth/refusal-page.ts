/**
 * The page for a client or redirect address that is not to be trusted. Nothing of the request stands in it, and it
 * leads nowhere.
 */
import { languageFor, plainPage, plainPageStyle } from '../plain-page.js';

const texts = {
  de: {
    title: 'Diese App kann nicht verknüpft werden',
    text: 'Die Anfrage nennt keine App dieser Installation oder eine Adresse, die nicht zu ihr gehört. Zu deiner Sicherheit geht es hier nicht weiter. Schließe diese Seite und wende dich an den Anbieter der App.',
  },
  en: {
    title: 'This app cannot be linked',
    text: 'The request names no app of this installation, or an address that does not belong to it. For your safety this is the end of the road. Close this page and ask the provider of the app.',
  },
} as const;

export function refusalPage(acceptLanguage: string | undefined): {
  readonly status: 400;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} {
  const language = languageFor(acceptLanguage);
  const { title, text } = texts[language];
  return {
    status: 400,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': `default-src 'none'; style-src ${plainPageStyle}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
    body: plainPage({ language, title, content: `<p>${text}</p>`, leadsHome: false }),
  };
}
